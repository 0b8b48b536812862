// The plugin's module, for games that want its layer: FSeeklessModule::Get().Files().
#pragma once

#include "Modules/ModuleManager.h"
#include "SeeklessPlatformFile.h"

class FSeeklessModule : public IModuleInterface {
 public:
  static FSeeklessModule& Get() {
    return FModuleManager::LoadModuleChecked<FSeeklessModule>("Seekless");
  }

  void StartupModule() override;
  void ShutdownModule() override;
  FSeeklessPlatformFile& Files() { return Layer; }

 private:
  FSeeklessPlatformFile Layer;
};
