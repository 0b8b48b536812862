// Measures a drive, finds the profile that fits it, and tells how well it fits. docs/calibrate.md
// describes the method. It reads through TimedDevice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/calibrate/internal/network.h"
#include "packer/calibrate/internal/probe.h"
#include "packer/calibrate/internal/timed_device.h"
#include "packer/drive/profile.h"

namespace seekless {

inline constexpr uint64_t kMinCalibratedBytes = uint64_t{1} << 30;
inline constexpr double kMinCalibrationSeconds = 10;
inline constexpr double kMaxCalibrationSeconds = 3600;

struct CalibrationOptions {
  std::string profile_name;  // must pass check_profile
  double seconds = 60;       // kMinCalibrationSeconds to kMaxCalibrationSeconds
};

// Holds the errors of the fit, on its own samples or on others.
struct FitError {
  double rates_rms_share = 0;  // root mean square; 0.01: rates differ from the fit by 1 %
  double seek_rms_ms = 0;      // this and the next two: only for disks
  double rotation_share = 0;   // share of intervals that are whole turns
  double slow_share = 0;       // share of random accesses slower than the drive can explain
  // Mean access time of 4 KiB at random places, without the slow ones.
  double measured_access_ms = 0;
  double predicted_access_ms = 0;  // the same according to the profile, and computer_ms
};

struct Calibration {
  DriveProfile profile;
  FitError error;
  // The computer's extra work on a usual read of a disk, compared with the fastest reads: waking
  // up, and waiting for other programs on its processors. The profile doesn't include it.
  double computer_ms = 0;
  uint64_t rate_places = 0;
  uint64_t seek_samples = 0;
  Probe::DeviceCounters counters;
  double seconds = 0;
  std::optional<NetworkFigures> network;  // set only for a file on another machine
  std::vector<std::string> remarks;  // values that couldn't be measured, and what is used instead
};

// Takes about options.seconds at most, unless single reads are slow. Fails with the device's own
// errors, for a device below kMinCalibratedBytes, or if no profile fits the samples; the error says
// what to do about it.
Result<Calibration> calibrate(TimedDevice& device, const CalibrationOptions& options,
                              CalibrateProgress progress = {});

}  // namespace seekless
