// Knows the folders in which launchers keep their files, on each system. The environment's HOME,
// XDG_CONFIG_HOME and XDG_DATA_HOME (on Windows APPDATA and others) decide, and on
// Windows the registry. No file is opened.
#pragma once

#include <string>
#include <vector>

#include "packer/library/found_game.h"

namespace seekless {

struct LauncherRoot {
  Launcher launcher = Launcher::steam;
  std::string folder = {};  // it may not exist
  // A second folder, if the launcher has its settings apart from its data (Lutris, Bottles).
  std::string settings = {};
  // The home folder as the launcher itself sees it, if Flatpak gives it one of its own.
  std::string flatpak_home = {};
  bool is_flatpak = false;
  // Folders of games themselves, if the system lists them (GOG on Windows).
  std::vector<std::string> games = {};
};

// Returns the roots in the order in which they win games that several launchers name.
std::vector<LauncherRoot> launcher_roots();

}  // namespace seekless
