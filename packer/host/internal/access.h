// Copies a file's owner and rights to the file that replaces it. Anyone who couldn't open the old
// file can't open the new one.
#pragma once

#include <string>

namespace seekless {

// Gives the open file the owner, group, permissions and access list of `replaced`, as far as this
// user may. Anyone who can't get the same rights gets fewer, never more. Does nothing if `replaced`
// doesn't exist.
void take_over_access(int descriptor, const std::string& replaced) noexcept;

}  // namespace seekless
