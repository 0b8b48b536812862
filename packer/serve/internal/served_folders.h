// Chooses which of several folders are served, and names their files for what is learned, which
// holds for all of them together. Pure.
#pragma once

#include <string>
#include <vector>

namespace seekless {

// Returns the folders that aren't in another one, each once, in their order: the outer one serves
// what is in it. Paths are absolute and canonical.
std::vector<std::string> outermost(const std::vector<std::string>& folders);

// Returns the path relative to the game's folder: "../prefix/drive_c" for one beside it. Both are
// absolute and canonical.
std::string relative_to_game(const std::string& game, const std::string& path);

}  // namespace seekless
