#pragma once

class IModuleInterface {
 public:
  virtual ~IModuleInterface() = default;
  virtual void StartupModule() {}
  virtual void ShutdownModule() {}
};

IModuleInterface& module_of_game();

class FModuleManager {
 public:
  template <typename Module>
  static Module& LoadModuleChecked(const char*) {
    return static_cast<Module&>(module_of_game());
  }
};

#define IMPLEMENT_MODULE(type, name)   \
  IModuleInterface& module_of_game() { \
    static type module;                \
    return module;                     \
  }
