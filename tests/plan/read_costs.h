// What reads cost on the disks for which orders are sought.
#pragma once

#include "packer/plan/read_costs.h"

namespace seekless {

inline DriveProfile desktop_disk() {
  return find_profile("wd-black-1tb").value();
}

// It jumps sooner, and reads 126 kB in a millisecond.
inline constexpr ReadCosts kNimbleDisk = {.jump_s = 0.0065, .bytes_per_s = 126e6};

}  // namespace seekless
