// Remembers which content the user has named on this machine, to `plan` and `build`. A layout may
// come from someone else, and names the content to read; this list tells the user's own layouts
// from theirs. The list is a file of the user's ($XDG_STATE_HOME/seekless/content, by default below
// ~/.local/state, on Windows below %LOCALAPPDATA%), one path a line.
#pragma once

#include <string>
#include <vector>

namespace seekless {

// `roots` are canonical paths. A path that can't be stored (no home, a full disk, a line end in it)
// isn't; a user who needs it later is told how to name it.
void remember_content(const std::vector<std::string>& roots);
std::vector<std::string> remembered_content();

}  // namespace seekless
