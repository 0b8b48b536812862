// Finds the folders that a game started by Steam reads, from what Steam passes to a game's launch
// options. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Holds what Steam passes to a game's launch options.
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
// it is the folder in a library (".../steamapps/common/GAME") that the game is started in, as Steam
// starts each; or else the first one that the command names. Proton and its container, which come
// before the game, don't count, and what follows may be another game whose files this one reads.
// Each library has its own path, so the game is found in any of them. Fails with kind `usage` if
// none of these names it. Beside the game's folder are the prefix, Proton, and the shaders. Proton
// is in a library or in the folder compatibilitytools.d; its container isn't served, because it
// mounts things into itself.
Result<SteamFolders> steam_folders(const SteamLaunch& launch);

}  // namespace seekless
