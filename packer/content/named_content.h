// Remembers which content the user has given to `plan` and `build` on this machine. A layout from
// someone else also names content to read; this list tells whether it is the user's own. The list
// is a file in the user's state folder ($XDG_STATE_HOME/seekless/content, by default below
// ~/.local/state, on Windows below %LOCALAPPDATA%), one path a line.
#pragma once

#include <string>
#include <vector>

namespace seekless {

// `roots` are canonical paths. Paths that can't be stored (no home, a full disk, a line end in the
// path) are ignored; a command that needs one later says how to name it.
void remember_content(const std::vector<std::string>& roots);
std::vector<std::string> remembered_content();

}  // namespace seekless
