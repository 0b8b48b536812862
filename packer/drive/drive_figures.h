// Derives the usual figures of a drive from its profile. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "packer/drive/profile.h"
#include "packer/host/extents.h"

namespace seekless {

struct DriveFigures {
  uint64_t capacity_bytes = 0;
  double outer_bytes_per_s = 0;
  double inner_bytes_per_s = 0;
  double access_ms = 0;
  double iops = 0;  // reads of 4 KiB at random places, one at a time
  uint64_t outer_gap_bytes = 0;
  uint64_t inner_gap_bytes = 0;
};

DriveFigures figures_of(const DriveProfile& profile);

inline bool is_disk(const DriveProfile& profile) {
  return std::holds_alternative<HardDisk>(profile.hardware);
}

struct ReadingTime {
  double seconds = 0;
  double in_one_piece_s = 0;

  double lost_s() const { return seconds > in_one_piece_s ? seconds - in_one_piece_s : 0; }
};

// Returns the time for reading all files in order, where they lie, on a drive like the profile's.
// Returns nothing if they lie past that drive's end.
std::optional<ReadingTime> reading_time(std::span<const FileExtents> files,
                                        const DriveProfile& profile);

}  // namespace seekless
