// Finds the folders that a game started by Steam reads, from the values that Steam passes to a
// game's launch options. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Holds the values that Steam passes to a game's launch options.
struct SteamLaunch {
  // The value of $STEAM_COMPAT_INSTALL_PATH, which is set for games under Proton; otherwise empty.
  std::string install_path;
  // These are the values of $STEAM_COMPAT_DATA_PATH (the game's Wine prefix), ..._SHADER_PATH and
  // ..._TOOL_PATHS (Proton's folder and its container's, separated by colons), or empty.
  std::string data_path = {};
  std::string shader_path = {};
  std::string tool_paths = {};
  std::string current_folder;
  std::span<const std::string> command;  // the command that %command% stands for
};

struct SteamFolders {
  std::string game;
  std::vector<std::string> beside;  // they may not exist
};

// Returns the folders as Steam writes them. The game's is the install path, if it is set. Otherwise
// it is the working folder, if that is in a library (".../steamapps/common/GAME"), because Steam
// starts each game in its folder; or else the first such folder in the command. Proton and its
// container, which come before the game, don't count. Later arguments may be another game, whose
// files this one reads. A library may have any path. Fails with kind `usage` if none of these gives
// a folder. `beside` gets the prefix, Proton, and the shaders. Proton is in a library or in the
// folder compatibilitytools.d. Its container isn't served, because it mounts folders inside itself.
Result<SteamFolders> steam_folders(const SteamLaunch& launch);

}  // namespace seekless
