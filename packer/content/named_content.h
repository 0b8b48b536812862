// Which content the user has named before, on this machine: what `plan` and `build` were given. A
// layout may come from somebody else, and says itself what is read; this is what tells the own ones
// from theirs. Kept in a file of the user's ($XDG_STATE_HOME/seekless/content, by default below
// ~/.local/state, on Windows below %LOCALAPPDATA%), one path a line.
#pragma once

#include <string>
#include <vector>

namespace seekless {

// Canonical paths. What can't be kept (no home, a full disk, a path with a line end) isn't: whoever
// asks for it later is told how to name it.
void remember_content(const std::vector<std::string>& roots);
std::vector<std::string> remembered_content();

}  // namespace seekless
