#pragma once

class IModuleInterface {
 public:
  virtual ~IModuleInterface() = default;
  virtual void StartupModule() {}
  virtual void ShutdownModule() {}
};

#define IMPLEMENT_MODULE(type, name)   \
  IModuleInterface& module_of_game() { \
    static type module;                \
    return module;                     \
  }
