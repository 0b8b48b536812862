// Finds the folder of a game that Steam starts, from what Steam passes to a game's launch options.
// Pure.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"

namespace seekless {

// Holds what Steam passes to a game's launch options.
struct SteamLaunch {
  // The value of $STEAM_COMPAT_INSTALL_PATH, which is set for games under Proton; otherwise empty.
  std::string install_path;
  std::string current_folder;
  std::span<const std::string> command;  // the command that %command% stands for
};

// Returns the folder as Steam writes it. It is the install path; else the last folder in a library
// (".../steamapps/common/GAME") that the command names, because Proton and its container come
// before the game; else the folder that the game is started in. Each library has its own path, so
// it is found in any of them. Fails with kind `usage` if none of these tells it.
Result<std::string> steam_game_folder(const SteamLaunch& launch);

}  // namespace seekless
