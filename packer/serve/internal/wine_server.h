// Finds out whether Wine is at work in a folder. A served prefix looks like another one to Wine, so
// a second server would start on it, and each would write the whole registry over the other's.
#pragma once

#include <string>

namespace seekless {

// Returns true if the folder is a Wine prefix, or Steam's folder around one, and a Wine server has
// something in it open, which it has while a Windows program runs. Doesn't see other users'
// servers.
bool has_wine_server(const std::string& folder);

}  // namespace seekless
