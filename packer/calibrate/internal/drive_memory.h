// What a drive's own memory keeps of what was read: of how many streams, and how much of each.
#pragma once

#include <cstdint>

#include "packer/base/error.h"
#include "packer/calibrate/internal/probe.h"

namespace seekless {

struct MemorySearch {
  double hit_ms = 0;              // no read of 4 KiB that comes from the platter is as fast
  uint64_t read_ahead_bytes = 0;  // how far the drive was seen to read on; 0: it wasn't seen
  double ahead_ms = 0;            // at most so long does that take
  double half_ahead_ms = 0;       // nowhere does more than half of it take so long
  double until_share = 1;         // of the probe's time
};

// As drive/profile.h has them.
struct DriveMemory {
  uint64_t segments = 1;
  uint64_t segment_bytes = 0;
  bool is_least = false;  // time or the search ended before a stream was found forgotten
};

// Reads fresh places, and then some of them again. A drive that shares its memory out as it likes
// holds either many short stretches or few long ones: then the segments are those of short
// stretches, and as long as that many were seen to be. Error: the probe's.
Result<DriveMemory> measure_memory(Probe& probe, const MemorySearch& search);

}  // namespace seekless
