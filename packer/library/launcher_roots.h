// Finds the folders in which launchers keep their files, on each system: from HOME, XDG_CONFIG_HOME
// and XDG_DATA_HOME (on Windows APPDATA and others), and on Windows from the registry. No file is
// opened.
#pragma once

#include <string>
#include <vector>

#include "packer/library/found_game.h"

namespace seekless {

struct LauncherRoot {
  Launcher launcher = Launcher::steam;
  std::string folder = {};  // it may not exist
  // A second folder, if the launcher keeps settings apart from data (Lutris, Bottles).
  std::string settings = {};
  // The launcher's own home folder, if Flatpak gives it one.
  std::string flatpak_home = {};
  bool is_flatpak = false;
  // The games' folders, if the system lists them (GOG on Windows).
  std::vector<std::string> games = {};
};

// Returns the roots. If several launchers name a game, the first root gets it.
std::vector<LauncherRoot> launcher_roots();

}  // namespace seekless
