// Gives the files of several served folders the names under which `play` learns them. It learns
// about all these folders together. Pure.
#pragma once

#include <string>

namespace seekless {

// Returns the path relative to the game's folder: "../prefix/drive_c" for one beside it. Both are
// absolute and canonical.
std::string relative_to_game(const std::string& game, const std::string& path);

}  // namespace seekless
