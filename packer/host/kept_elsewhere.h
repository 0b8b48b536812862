// Tells files whose bytes lie on a server (OneDrive's files "available when online"), so that what
// only looks doesn't fetch them.
#pragma once

#include <string>

namespace seekless {

// Returns true if reading the file would fetch it. Only Windows tells.
bool is_kept_elsewhere(const std::string& path);

}  // namespace seekless
