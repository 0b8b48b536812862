#pragma once

#include "GenericPlatform/GenericPlatformFile.h"

class FPlatformFileManager {
 public:
  static FPlatformFileManager& Get() {
    static FPlatformFileManager manager;
    return manager;
  }
  IPlatformFile& GetPlatformFile() { return *top_; }
  void SetPlatformFile(IPlatformFile& top) { top_ = &top; }

 private:
  IPlatformFile* top_ = nullptr;
};
