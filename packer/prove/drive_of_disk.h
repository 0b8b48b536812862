// Finds a profile of the disk that files lie on by measuring the block device, or the files if this
// user may not read the device.
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
  // Why measuring a readable block device gave no profile. Empty if it gave one, or wasn't
  // readable.
  std::string device_error = {};
};

// `files` are on the device, at known places. Takes about `seconds` at most. If the device could be
// read but gave no profile, measuring the files takes a quarter more.
Result<MeasuredDisk> measure_disk(const std::optional<HostDevice>& device,
                                  std::vector<FileExtents> files, double seconds,
                                  const CalibrateProgress& progress);

}  // namespace seekless
