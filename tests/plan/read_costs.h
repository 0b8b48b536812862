// What reads cost on the disks for which orders are sought.
#pragma once

#include "packer/plan/read_costs.h"

namespace seekless {

// A desktop disk of 1 TB, 335 MB on it.
inline constexpr ReadCosts kDisk = {.jump_s = 0.0085, .bytes_per_s = 169e6};
// It jumps sooner, and reads 126 kB in a millisecond.
inline constexpr ReadCosts kNimbleDisk = {.jump_s = 0.0065, .bytes_per_s = 126e6};

}  // namespace seekless
