// Chooses where tracks may begin. Whether a drive that keeps whole tracks has a place in memory
// depends on where its track begins. Nobody knows that, so several starts are tried.
#pragma once

#include <vector>

#include "packer/drive/profile.h"

namespace seekless {

// Returns starts that are spread evenly over a turn; just one if they don't matter.
std::vector<double> track_starts(const DriveProfile& profile);

}  // namespace seekless
