// Folders that are this user's alone, for what is remembered from run to run.
#pragma once

#include <string>

#include "packer/host/error.h"

namespace seekless {

// What this user trusts isn't kept in another user's folder.
bool is_own_folder(const std::string& path);
// Where this user's seekless keeps what it remembers; it may not be there yet. Empty if there is no
// place.
std::string state_folder();
// Where a command keeps what it remembers of a game's folder, which is a canonical path: a name
// below `place`, or below the command's own folder in state_folder() if that is empty. Folders of
// one name are told apart by where they lie. What the name is in is made. Error: there is no home.
Result<std::string> state_path(const std::string& command, const std::string& place,
                               const std::string& folder);
// The user's home folder, canonical; empty if there is none.
std::string home_folder();
// To the end of a file, in one call, so that two processes that do it at once don't mix their
// lines. Makes a file that is this user's alone; what can't be written isn't.
void append_text(const std::string& path, const std::string& text);

}  // namespace seekless
