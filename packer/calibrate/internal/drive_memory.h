// Measures how many streams a drive's own memory keeps, and how much of each.
#pragma once

#include <cstdint>

#include "packer/base/error.h"
#include "packer/calibrate/internal/probe.h"

namespace seekless {

struct MemorySearch {
  double hit_ms = 0;              // faster than any read of 4 KiB from the platter
  uint64_t read_ahead_bytes = 0;  // how far the drive has been seen to read ahead; 0 if unknown
  double ahead_ms = 0;            // reading ahead that far takes at most this long
  double half_ahead_ms = 0;  // in this time, the drive reads ahead at most half of read_ahead_bytes
  double until_share = 1;    // the search ends at this share of the probe's time
};

// The members mean the same as in drive/profile.h.
struct DriveMemory {
  uint64_t segments = 1;
  uint64_t segment_bytes = 0;
  bool is_least = false;  // time or the search ended before a stream was forgotten
};

// Reads fresh places, and then some of them again. A drive that divides its memory freely holds
// either many short stretches or few long ones. For such a drive, counts the segments with short
// stretches, and returns the greatest length at which the drive still kept as many. Fails with the
// probe's errors.
Result<DriveMemory> measure_memory(Probe& probe, const MemorySearch& search);

}  // namespace seekless
