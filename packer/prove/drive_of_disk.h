// Finds a profile of the disk that files lie on, by measuring: the block device if this user may
// read it, or else the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/calibrate/calibrate.h"
#include "packer/host/device_activity.h"
#include "packer/host/extents.h"
#include "packer/prove/proof.h"

namespace seekless {

struct MeasuredDisk {
  DriveProfile profile;
  ProvenDriveSource source = ProvenDriveSource::device;
  bool has_measured_rate = false;    // otherwise the profile's rate is assumed
  std::vector<std::string> remarks;  // sentences
  // Why the block device, which could be read, gave no profile; empty if it did, or couldn't be.
  std::string device_error = {};
};

// `files` are on the device, at known places. Takes about `seconds` at most, and a quarter of them
// more if the device could be read but gave no profile, so that its files are measured.
Result<MeasuredDisk> measure_disk(const std::optional<HostDevice>& device,
                                  std::vector<FileExtents> files, double seconds,
                                  const CalibrateProgress& progress);

}  // namespace seekless
