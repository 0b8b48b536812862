// Puts the layer on top of the engine's file system when the game starts. It maps the packs in
// Packs/, if any, onto the Content/ folder beside it.
#include "SeeklessModule.h"

#include "HAL/PlatformFileManager.h"
#include "Misc/Paths.h"

DEFINE_LOG_CATEGORY_STATIC(LogSeekless, Log, All);

void FSeeklessModule::StartupModule() {
  FPlatformFileManager& Files = FPlatformFileManager::Get();
  const FString Packs = FPaths::ConvertRelativePathToFull(FPaths::ProjectDir() + TEXT("Packs"));
  Layer.Initialize(&Files.GetPlatformFile(), TEXT(""));
  if (!Files.GetPlatformFile().DirectoryExists(*Packs)) return;
  if (Layer.Mount(*Packs, *FPaths::ProjectContentDir()))
    Files.SetPlatformFile(Layer);
  else
    UE_LOG(LogSeekless, Error, TEXT("%s"), UTF8_TO_TCHAR(Layer.Problem()));
}

void FSeeklessModule::ShutdownModule() {
  if (&FPlatformFileManager::Get().GetPlatformFile() == &Layer)
    FPlatformFileManager::Get().SetPlatformFile(*Layer.GetLowerLevel());
}

IMPLEMENT_MODULE(FSeeklessModule, Seekless)
