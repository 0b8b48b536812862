// Reduces a drive to the few figures that the planner needs: mainly the cost of a jump, and the
// rate. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "packer/drive/profile.h"

namespace seekless {

// Packs are new files, so they are assumed to lie side by side from the drive's start on.
struct ReadCosts {
  // Seconds from the end of one read to the first byte of a distant one: overhead, a seek over a
  // third of the content (the mean distance of two places in it) and half a turn. 0 for SSDs,
  // because a reader that knows its next reads keeps several commands in flight.
  double jump_s = 0;
  double bytes_per_s = 1;  // must be above 0
  double arrival_s = 0;    // mean seconds from anywhere on the drive to the first byte
  // Bytes that pass below the head in one turn of the platter. A jump over fewer bytes takes as
  // long as reading through, because it waits for the platter. 0 for SSDs.
  uint64_t turn_bytes = 0;

  double read_s(uint64_t bytes) const { return static_cast<double>(bytes) / bytes_per_s; }
  // Returns the seconds to get past a gap to a later read, by reading through it or by a jump.
  double gap_s(uint64_t gap_bytes) const {
    const double through_s = read_s(gap_bytes);
    return gap_bytes < turn_bytes ? through_s : std::min(jump_s, through_s);
  }
  // Returns the gap from which on jumping is cheaper, averaged over all angles of the platter.
  uint64_t break_even_bytes() const { return static_cast<uint64_t>(jump_s * bytes_per_s); }
  // Returns the length at which gaps begin to cost a jump in any case.
  uint64_t far_bytes() const { return std::max(turn_bytes, break_even_bytes()); }
};

// `profile` must pass check_profile.
ReadCosts read_costs(const DriveProfile& profile, uint64_t content_bytes);

}  // namespace seekless
