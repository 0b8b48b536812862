// How long a drive would be busy with what is to be warmed. Pure.
#pragma once

#include <span>

#include "packer/drive/profile.h"
#include "packer/host/error.h"
#include "packer/host/extents.h"
#include "packer/warm/warm_plan.h"

namespace seekless {

// Busy seconds, if nothing is in memory: the reads in their order, at the places of their files,
// each device a drive of its own. Reads of files whose places aren't known cost nothing. Error: one
// lies past the drive's end.
Result<double> forecast_warm(const DriveProfile& drive, std::span<const FileExtents> files,
                             std::span<const WarmRead> reads);

}  // namespace seekless
