// What reading costs, as the planner weighs it: two figures of a drive. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "packer/drive/profile.h"

namespace seekless {

// Packs are new files, so they are taken to lie side by side from the start of the drive on.
struct ReadCosts {
  // From the end of one read to the first byte of another that isn't near: overhead, a seek over a
  // third of the content (the mean distance of two places in it), half a turn. 0 for solid state:
  // a reader that knows what comes keeps several commands under way, so places cost it nothing.
  double jump_s = 0;
  double bytes_per_s = 1;  // above 0
  double arrival_s = 0;    // from anywhere on the drive to the first byte, on average
  // That pass below the head in a turn of the platter. Who jumps less far waits for the platter as
  // long as for what lies between. 0 for solid state.
  uint64_t turn_bytes = 0;

  double read_s(uint64_t bytes) const { return static_cast<double>(bytes) / bytes_per_s; }
  // What lies between two reads, the second after the first, is read or jumped over.
  double gap_s(uint64_t gap_bytes) const {
    const double through_s = read_s(gap_bytes);
    return gap_bytes < turn_bytes ? through_s : std::min(jump_s, through_s);
  }
  // The gap from which on jumping is cheaper, on average over all places of the platter.
  uint64_t break_even_bytes() const { return static_cast<uint64_t>(jump_s * bytes_per_s); }
  // The gap from which on each costs a jump.
  uint64_t far_bytes() const { return std::max(turn_bytes, break_even_bytes()); }
};

// `profile` passes check_profile.
ReadCosts read_costs(const DriveProfile& profile, uint64_t content_bytes);

}  // namespace seekless
