// Who may do what with a file: what replaces a file is open to nobody who couldn't open that one.
#pragma once

#include <string>

namespace seekless {

// Gives the open file the owner, group, permissions and access list of `replaced`, as far as this
// user may: whom it can't give the same rights to has fewer, never more. Nothing happens if there
// is no such file.
void take_over_access(int descriptor, const std::string& replaced) noexcept;

}  // namespace seekless
