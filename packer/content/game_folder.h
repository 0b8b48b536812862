// Finds the folder of the game whose files a recording names, for commands that weren't told it.
#pragma once

#include <string>

#include "packer/content/content.h"

namespace seekless {

// Returns the folder that all files lie in, or else nearly all; empty if it isn't one game's.
std::string game_folder(const Content& content);

}  // namespace seekless
