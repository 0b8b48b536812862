#include <utility>

#include "packer/base/windows_words.h"
#include "packer/host/own_folder.h"
#include "packer/host/registry_windows.h"
#include "packer/library/launcher_roots.h"

namespace seekless {
namespace {

void add_steam(std::vector<LauncherRoot>& roots) {
  const auto add = [&](std::string folder) {
    if (!folder.empty())
      roots.push_back({.launcher = Launcher::steam, .folder = std::move(folder)});
  };
  add(registry_text(RegistryRoot::user, "Software\\Valve\\Steam", "SteamPath"));
  for (const char* key : {"SOFTWARE\\WOW6432Node\\Valve\\Steam", "SOFTWARE\\Valve\\Steam"})
    add(registry_text(RegistryRoot::machine, key, "InstallPath"));
}

// GOG's installers and Galaxy register each game's folder.
std::vector<std::string> registered_gog_games() {
  std::vector<std::string> folders;
  for (const std::string key :
       {"SOFTWARE\\WOW6432Node\\GOG.com\\Games", "SOFTWARE\\GOG.com\\Games"})
    for (const std::string& game : registry_keys(RegistryRoot::machine, key))
      if (std::string folder = registry_text(RegistryRoot::machine, key + "\\" + game, "path");
          !folder.empty())
        folders.push_back(std::move(folder));
  return folders;
}

}  // namespace

std::vector<LauncherRoot> launcher_roots() {
  std::vector<LauncherRoot> roots;
  const auto add = [&](Launcher launcher, const char* variable, const std::string& below) {
    if (const std::string folder = folder_of_environment(variable); !folder.empty())
      roots.push_back({.launcher = launcher, .folder = folder + below, .settings = folder});
  };
  add_steam(roots);
  add(Launcher::steam, "ProgramFiles(x86)", "/Steam");
  add(Launcher::steam, "ProgramFiles", "/Steam");
  add(Launcher::heroic, "APPDATA", "/heroic");
  add(Launcher::epic, "ProgramData", "/Epic/EpicGamesLauncher/Data/Manifests");
  roots.push_back({.launcher = Launcher::gog, .folder = {}, .games = registered_gog_games()});
  add(Launcher::gog, "ProgramFiles(x86)", "/GOG Galaxy/Games");
  add(Launcher::gog, "SystemDrive", "/GOG Games");
  for (LauncherRoot& root : roots) {
    root.folder = with_slashes(std::move(root.folder));
    for (std::string& game : root.games) game = with_slashes(std::move(game));
  }
  return roots;
}

}  // namespace seekless
