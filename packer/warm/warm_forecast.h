// How long a drive would be busy with what is to be warmed. Pure.
#pragma once

#include <span>

#include "packer/base/error.h"
#include "packer/drive/file_finder.h"
#include "packer/drive/profile.h"
#include "packer/drive/sweep.h"
#include "packer/host/extents.h"

namespace seekless {

// Busy seconds, if nothing is in memory: first the files are found in their folders, then the reads
// in their order, at the places of their files, each device a drive of its own. Files and folders
// whose places aren't known cost nothing. Error: one lies past the drive's end.
Result<double> forecast_warm(const DriveProfile& drive, std::span<const FileExtents> files,
                             const FolderPlaces& folders, std::span<const SweepRead> reads);

}  // namespace seekless
