#pragma once

#include "CoreMinimal.h"

// Where the game's program has its project; main.cpp makes it the working folder.
class FPaths {
 public:
  static FString ProjectDir() { return FString(u"../../../Game/"); }
  static FString ProjectContentDir() { return FString(u"../../../Game/Content/"); }
  static FString ConvertRelativePathToFull(const FString& path) { return path; }
};
