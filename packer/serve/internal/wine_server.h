// Finds out whether Wine is at work in a folder. A served prefix looks like another one to Wine, so
// a second server would start on it, and each would write the whole registry over the other's.
#pragma once

#include <string>

namespace seekless {

// Returns true if a Wine server is at work on a prefix that lies in the folder, or is the folder.
// Other users' servers aren't seen.
bool has_wine_server(const std::string& folder);

}  // namespace seekless
