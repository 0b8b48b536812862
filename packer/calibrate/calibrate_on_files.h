// Measures a drive that the user may not read as a whole, at the places of files that the user may
// read. These show so little of it that a usual profile is only adjusted: turn, rate, command and
// seeks. docs/prove.md describes the method.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/calibrate/internal/probe.h"
#include "packer/calibrate/internal/timed_device.h"
#include "packer/drive/profile.h"
#include "packer/host/direct_file.h"
#include "packer/host/extents.h"

namespace seekless {

// Holds a stretch of the drive that may be read; begin and length are multiples of 4 KiB.
struct ReadableStretch {
  uint64_t begin_bytes = 0;
  uint64_t length_bytes = 0;
};

// Holds files' pieces as parts of their drive.
class FilesAsDrive final : public TimedDevice {
 public:
  // Takes the largest files, since few are enough. Fails if the file system can't read past its
  // cache, or doesn't report where the files lie.
  static Result<FilesAsDrive> open(std::vector<FileExtents> files, uint64_t capacity_bytes);

  std::span<const ReadableStretch> stretches() const { return stretches_; }

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return capacity_bytes_; }
  double now_ms() const override;
  Result<TimedRead> read(uint64_t position_bytes, uint64_t length_bytes) override;
  void wait(double idle_ms) override;

 private:
  struct FilePiece {
    size_t file = 0;
    Extent extent;
  };

  std::string name_;
  uint64_t capacity_bytes_ = 0;
  std::vector<std::unique_ptr<DirectFile>> files_;
  std::map<uint64_t, FilePiece> pieces_;  // keyed by place on the drive
  std::vector<ReadableStretch> stretches_;
};

struct AdjustedProfile {
  DriveProfile profile;  // solid state if no head moves
  uint64_t reads = 0;
  bool has_measured_rate = false;
  std::vector<std::string> remarks;  // figures that weren't measured, taken from the usual profile
};

// Adjusts `usual`, a disk of the device's capacity. Takes about `seconds` at most. Fails with the
// device's errors, or if almost every read fails.
Result<AdjustedProfile> calibrate_on_files(TimedDevice& device,
                                           std::span<const ReadableStretch> stretches,
                                           const DriveProfile& usual, double seconds,
                                           const CalibrateProgress& progress = {});

}  // namespace seekless
