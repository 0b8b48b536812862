// Separates calibration from the measured device, whose reads tell when they began and ended. The
// real device uses host/direct_file.h; tests use the drive model.
#pragma once

#include <cstdint>
#include <string>

#include "packer/base/error.h"

namespace seekless {

struct TimedRead {
  double begin_ms = 0;  // on the device's clock, which may start anywhere
  double end_ms = 0;
  bool is_good = true;  // false if the device reported that it can't read this place

  double ms() const { return end_ms - begin_ms; }
};

class TimedDevice {
 public:
  virtual ~TimedDevice() = default;
  virtual const std::string& name() const = 0;  // for messages
  virtual uint64_t size_bytes() const = 0;
  virtual double now_ms() const = 0;
  // Reads past every cache of the system, and waits for the result. Place and length must be
  // multiples of 4 KiB, the length at most kMaxTimedReadBytes, and the range within the device. An
  // error means that no further read can succeed, or that the user wants to stop.
  virtual Result<TimedRead> read(uint64_t position_bytes, uint64_t length_bytes) = 0;
  // Leaves the device alone for this long.
  virtual void wait(double idle_ms) = 0;
};

inline constexpr uint64_t kTimedReadAlignment = 4096;
inline constexpr uint64_t kMaxTimedReadBytes = uint64_t{4} << 20;

}  // namespace seekless
