// Finds the games that launchers have installed, from their own files. Reads files and folders
// only; starts nothing, and writes nothing.
#pragma once

#include <vector>

#include "packer/library/found_game.h"
#include "packer/library/launcher_roots.h"

namespace seekless {

// Returns the games of all roots, each folder once, and what is wrong with launchers' files.
FoundGames find_games(const std::vector<LauncherRoot>& roots);

}  // namespace seekless
