// Asks for this user's rights to a folder.
#pragma once

#include <string>

namespace seekless {

// Returns true if this user may make files in the folder. Makes none. Elsewhere than on Windows,
// errno tells why not.
bool may_write(const std::string& folder);

}  // namespace seekless
