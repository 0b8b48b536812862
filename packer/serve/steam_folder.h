// Where a game lies that Steam starts: from what Steam tells a game's launch options. Pure.
#pragma once

#include <span>
#include <string>

#include "packer/base/error.h"

namespace seekless {

// What Steam tells.
struct SteamLaunch {
  std::string install_path;  // $STEAM_COMPAT_INSTALL_PATH: of games under Proton; else empty
  std::string current_folder;
  std::span<const std::string> command;  // what %command% became
};

// The folder, as Steam writes it: the install path; else the one in a library
// (".../steamapps/common/GAME") that the command names last, as Proton and its container come
// before the game; else the one that the game is started in. With several libraries, each has its
// own path, so it is found in any of them. Errors: usage if none of these tells it.
Result<std::string> steam_game_folder(const SteamLaunch& launch);

}  // namespace seekless
