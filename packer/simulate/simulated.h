// Defines the result of a simulated load, for all ways of reading.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/load_cost.h"
#include "packer/drive/load_start.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

struct SimulationOptions {
  ReadAhead read_ahead;
  uint32_t queue_depth = 1;  // commands that the drive sees at once, 1 to kMaxQueueDepth
  bool keeps_moves = false;  // needed for pictures
  // If true, the program leaves the drive idle between its reads as long as when it was recorded
  // (for a queue depth of 1). Otherwise it takes no time between reads.
  bool has_pauses = false;
};

struct SimulatedLoad {
  LoadCost cost;
  uint64_t needed_bytes = 0;
  double bound_seconds = 0;  // computed by bound_seconds_of
  double swept_seconds = 0;  // computed by swept_seconds_of, for content in files
  std::vector<HeadMove> moves;
};

inline LoadCost cost_of(const Drive& drive) {
  const Drive::Counters& counters = drive.counters();
  return {counters.bytes, counters.reads, counters.seeks, counters.busy_ms / 1000};
}

// Returns a lower bound on the time of reading the ranges `needed`, which don't overlap, in any
// order: the head moves to the nearest of them without waiting for the platter, and then each byte
// passes under it once, at the rate of its place. 0 if nothing is needed.
inline double bound_seconds_of(const Drive& drive, std::span<const DriveRead> needed) {
  double way_ms = std::numeric_limits<double>::infinity();
  double sweep_ms = 0;
  const uint64_t head = head_before_load_bytes(drive);
  for (const DriveRead& extent : needed) {
    if (extent.length_bytes == 0) continue;
    const uint64_t last = extent.position_bytes + extent.length_bytes - 1;
    way_ms = std::min(way_ms,
                      drive.least_access_ms(head, std::clamp(head, extent.position_bytes, last)));
    sweep_ms += drive.sweep_ms(extent.position_bytes, extent.length_bytes);
  }
  return sweep_ms > 0 ? (way_ms + sweep_ms) / 1000 : 0;
}

// Returns the time to read the ranges `needed` from the lowest place up, as `warm` does before a
// program asks for them. Gaps are read through if that is cheaper than skipping them.
inline double swept_seconds_of(const Drive& drive, std::vector<DriveRead> needed) {
  std::ranges::sort(needed, {}, &DriveRead::position_bytes);
  uint64_t head = head_before_load_bytes(drive);
  bool is_reading = false;
  double ms = 0;
  for (const DriveRead& extent : needed) {
    const uint64_t end = extent.position_bytes + extent.length_bytes;
    if (extent.length_bytes == 0 || (is_reading && end <= head)) continue;
    uint64_t begin = extent.position_bytes;
    if (is_reading && begin <= head + drive.break_even_gap_bytes(head))
      begin = head;
    else
      ms += drive.access_ms(head, begin);
    ms += drive.sweep_ms(begin, end - begin);
    head = end;
    is_reading = true;
  }
  return ms / 1000;
}

}  // namespace seekless
