// Checks this user's rights to a folder.
#pragma once

#include <string>

namespace seekless {

// Returns true if this user may create files in the folder, without creating any. If not, errno
// tells why, except on Windows.
bool may_write(const std::string& folder);

}  // namespace seekless
