// Measures a drive and says what profile fits it, and how well. The method is told in
// docs/calibrate.md. It reads through TimedDevice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/calibrate/internal/probe.h"
#include "packer/calibrate/internal/timed_device.h"
#include "packer/drive/profile.h"

namespace seekless {

inline constexpr uint64_t kMinCalibratedBytes = uint64_t{1} << 30;
inline constexpr double kMinCalibrationSeconds = 10;
inline constexpr double kMaxCalibrationSeconds = 3600;

struct CalibrationOptions {
  std::string profile_name;  // as check_profile wants it
  double seconds = 60;       // kMinCalibrationSeconds to kMaxCalibrationSeconds
};

// Against samples, or against what wasn't used for the fit.
struct FitError {
  double rates_rms_share = 0;      // 0.01: rates lie 1 % about the fit
  double seek_rms_ms = 0;          // disks only, as the next two
  double rotation_share = 0;       // of intervals that are whole turns
  double slow_share = 0;           // of random accesses that took longer than the drive can explain
  double measured_access_ms = 0;   // 4 KiB at random places, the mean without the slow ones
  double predicted_access_ms = 0;  // the same from the profile
};

struct Calibration {
  DriveProfile profile;
  FitError error;
  uint64_t rate_places = 0;
  uint64_t seek_samples = 0;
  Probe::DeviceCounters counters;
  double seconds = 0;
  std::vector<std::string> remarks;  // what couldn't be measured, and what stands in its place
};

// Takes at most about options.seconds, the drive's own slowness with single reads apart. Error:
// the device's, a device below kMinCalibratedBytes, or samples that no profile fits, with what to
// do about it.
Result<Calibration> calibrate(TimedDevice& device, const CalibrationOptions& options,
                              CalibrateProgress progress = {});

}  // namespace seekless
