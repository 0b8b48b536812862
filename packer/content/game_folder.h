// Finds the folder of the game whose files a recording names, for commands that weren't told it.
#pragma once

#include <string>

#include "packer/content/content.h"

namespace seekless {

// Returns the folder that all files lie in, or else nearly all; empty if it isn't one game's, or a
// whole disk.
std::string game_folder(const Content& content);

// Returns false for folders that hold more than one game, whatever a manifest says: the system's,
// a user's own and those around them. `folder` is canonical.
bool may_be_game_s(const std::string& folder);

}  // namespace seekless
