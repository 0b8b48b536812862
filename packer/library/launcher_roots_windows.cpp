#include "packer/host/own_folder.h"
#include "packer/library/launcher_roots.h"

namespace seekless {

std::vector<LauncherRoot> launcher_roots() {
  std::vector<LauncherRoot> roots;
  const auto add = [&](Launcher launcher, const char* variable, const std::string& below) {
    if (const std::string folder = folder_of_environment(variable); !folder.empty())
      roots.push_back({.launcher = launcher, .folder = folder + below, .settings = folder});
  };
  add(Launcher::steam, "ProgramFiles(x86)", "/Steam");
  add(Launcher::steam, "ProgramFiles", "/Steam");
  add(Launcher::heroic, "APPDATA", "/heroic");
  add(Launcher::epic, "ProgramData", "/Epic/EpicGamesLauncher/Data/Manifests");
  add(Launcher::gog, "ProgramFiles(x86)", "/GOG Galaxy/Games");
  add(Launcher::gog, "SystemDrive", "/GOG Games");
  return roots;
}

}  // namespace seekless
