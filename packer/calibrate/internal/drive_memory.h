// Measures what a drive's own memory keeps of what was read: how many streams, and how much of
// each.
#pragma once

#include <cstdint>

#include "packer/base/error.h"
#include "packer/calibrate/internal/probe.h"

namespace seekless {

struct MemorySearch {
  double hit_ms = 0;              // no read of 4 KiB from the platter is as fast
  uint64_t read_ahead_bytes = 0;  // how far the drive was seen to read ahead; 0: unknown
  double ahead_ms = 0;            // reading that far ahead takes at most this long
  double half_ahead_ms = 0;       // in this time, at most half of that is read ahead
  double until_share = 1;         // the search ends at this share of the probe's time
};

// Members have the meaning of those in drive/profile.h.
struct DriveMemory {
  uint64_t segments = 1;
  uint64_t segment_bytes = 0;
  bool is_least = false;  // time or the search ended before a stream was forgotten
};

// Reads fresh places, and then some of them again. A drive that divides its memory freely holds
// either many short stretches or few long ones. For such a drive, the segments are those of short
// stretches, with the longest length at which that many were kept. Error: the probe's.
Result<DriveMemory> measure_memory(Probe& probe, const MemorySearch& search);

}  // namespace seekless
