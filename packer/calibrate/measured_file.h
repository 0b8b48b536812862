// Times reads of a real device by the wall clock, and tells why a file may not represent its drive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/calibrate/internal/timed_device.h"
#include "packer/host/direct_file.h"
#include "packer/host/first_in_line.h"

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
  FirstInLine first_in_line_;
};

// Tells how a file is stored on its drive, as far as its file system reports it.
struct Lie {
  uint64_t pieces = 0;        // number of pieces between which the head moves
  uint64_t stored_bytes = 0;  // the rest are holes, or were never written
};
std::optional<Lie> lie_of(const DirectFile& file);

// Returns one line for each way in which a file differs from the drive that it stands for. Returns
// nothing for a device.
std::vector<std::string> warnings_of(const DirectFile& file, const std::optional<Lie>& lie);

}  // namespace seekless
