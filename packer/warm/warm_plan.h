// Plans which files to read into memory, and in which order.
#pragma once

#include <vector>

#include "packer/drive/profile.h"
#include "packer/drive/sweep.h"
#include "packer/warm/wanted.h"
#include "packer/warm/warm_files.h"

namespace seekless {

struct WarmPlan {
  WarmFiles files;
  std::vector<SweepRead> reads;  // reads of these files, in the order of the disk
};

// A file with several names is read once. The drive's profile decides which gaps are short enough
// to be read through.
WarmPlan plan_warm(Wanted wanted, const DriveProfile& drive);

}  // namespace seekless
