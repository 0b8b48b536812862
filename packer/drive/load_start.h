// Defines where a drive's head is when a load begins, for all code that simulates one.
#pragma once

#include "packer/drive/drive.h"
#include "packer/drive/read_ahead.h"

namespace seekless {

// Returns the head's position when a load begins: in the middle, where earlier reads left it.
inline uint64_t head_before_load_bytes(const Drive& drive) {
  return drive.capacity_bytes() / 2;
}

inline void send_head_away(Drive& drive) {
  drive.read(head_before_load_bytes(drive), kPageBytes);
  drive.reset_counters();
}

}  // namespace seekless
