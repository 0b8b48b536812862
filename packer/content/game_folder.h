// Finds the folder of the game whose files a recording names, for commands without a folder
// argument.
#pragma once

#include <string>

#include "packer/content/content.h"

namespace seekless {

// Returns the folder that holds all files, or nearly all; empty if the folder may hold several
// games, or is a whole disk.
std::string game_folder(const Content& content);

// Returns false for folders that hold more than one game, even if a manifest names them: the
// system's folders, users' home folders, and folders that contain these. `folder` is canonical.
bool may_be_game_s(const std::string& folder);

}  // namespace seekless
