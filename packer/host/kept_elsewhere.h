// Recognises files whose bytes lie on a server (OneDrive's files "available when online"), so that
// code that only examines files doesn't download them.
#pragma once

#include <string>

namespace seekless {

// Returns true if reading the file would download it. Only Windows reports this.
bool is_kept_elsewhere(const std::string& path);

}  // namespace seekless
