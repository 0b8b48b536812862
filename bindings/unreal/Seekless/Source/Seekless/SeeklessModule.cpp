// Puts the layer on top of the engine's files when the game starts, over Content/ with the packs in
// Packs/ beside it, if there are any.
#include "HAL/PlatformFileManager.h"
#include "Misc/Paths.h"
#include "Modules/ModuleManager.h"
#include "SeeklessPlatformFile.h"

DEFINE_LOG_CATEGORY_STATIC(LogSeekless, Log, All);

class FSeeklessModule : public IModuleInterface {
 public:
  void StartupModule() override {
    FPlatformFileManager& Files = FPlatformFileManager::Get();
    const FString Packs = FPaths::ConvertRelativePathToFull(FPaths::ProjectDir() + TEXT("Packs"));
    Layer.Initialize(&Files.GetPlatformFile(), TEXT(""));
    if (!Files.GetPlatformFile().DirectoryExists(*Packs)) return;
    if (Layer.Mount(*Packs, *FPaths::ProjectContentDir()))
      Files.SetPlatformFile(Layer);
    else
      UE_LOG(LogSeekless, Error, TEXT("%s"), UTF8_TO_TCHAR(Layer.Problem()));
  }
  void ShutdownModule() override {
    if (&FPlatformFileManager::Get().GetPlatformFile() == &Layer)
      FPlatformFileManager::Get().SetPlatformFile(*Layer.GetLowerLevel());
  }
  FSeeklessPlatformFile& Files() { return Layer; }

 private:
  FSeeklessPlatformFile Layer;
};

IMPLEMENT_MODULE(FSeeklessModule, Seekless)
