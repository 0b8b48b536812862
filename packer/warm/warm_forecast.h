// Predicts how long a drive would be busy with warming. Pure.
#pragma once

#include <span>

#include "packer/base/error.h"
#include "packer/drive/file_finder.h"
#include "packer/drive/profile.h"
#include "packer/drive/sweep.h"
#include "packer/host/extents.h"

namespace seekless {

// Returns the busy seconds if nothing is in memory: first the files are found in their folders,
// then the reads are made in order, at the places of their files; each device is a separate drive.
// Files and folders without known places cost nothing. Fails if one lies past the drive's end.
Result<double> forecast_warm(const DriveProfile& drive, std::span<const FileExtents> files,
                             const FolderPlaces& folders, std::span<const SweepRead> reads);

}  // namespace seekless
