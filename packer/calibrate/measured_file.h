// The real device to calibrate, by the wall's clock; and what makes a file a poor stand-in for its
// drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/calibrate/internal/timed_device.h"
#include "packer/host/direct_file.h"

namespace seekless {

class WallClockDevice final : public TimedDevice {
 public:
  // `file` must outlive it.
  explicit WallClockDevice(DirectFile& file) : file_(file) {}
  const std::string& name() const override { return file_.name(); }
  uint64_t size_bytes() const override { return file_.size_bytes(); }
  double now_ms() const override;
  Result<TimedRead> read(uint64_t position_bytes, uint64_t length_bytes) override;
  void wait(double idle_ms) override;

 private:
  DirectFile& file_;
};

// How a file lies on its drive, as far as its file system tells.
struct Lie {
  uint64_t pieces = 0;        // between which the head moves
  uint64_t stored_bytes = 0;  // the rest are holes, or were never written
};
std::optional<Lie> lie_of(const DirectFile& file);

// A file stands for its own range of the drive: one line each about what is to be known. None of a
// device.
std::vector<std::string> warnings_of(const DirectFile& file, const std::optional<Lie>& lie);

}  // namespace seekless
