#pragma once

#include "CoreMinimal.h"

// The folder of the game's project; main.cpp makes it the working folder.
class FPaths {
 public:
  static FString ProjectDir() { return FString(u"../../../Game/"); }
  static FString ProjectContentDir() { return FString(u"../../../Game/Content/"); }
  static FString ConvertRelativePathToFull(const FString& path) { return path; }
};
