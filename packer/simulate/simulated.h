// What comes of a simulated load, whoever reads.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/drive/drive.h"
#include "packer/drive/read_ahead.h"
#include "packer/report/report.h"

namespace seekless {

struct SimulationOptions {
  ReadAhead read_ahead;
  uint32_t queue_depth = 1;  // commands that the drive sees at once, 1 to kMaxQueueDepth
  bool keeps_moves = false;  // for pictures
};

struct SimulatedLoad {
  LoadCost cost;
  uint64_t needed_bytes = 0;
  double bound_seconds = 0;  // needed bytes at the rate where they lie, and one average seek
  std::vector<HeadMove> moves;
};

inline LoadCost cost_of(const Drive& drive) {
  const Drive::Counters& counters = drive.counters();
  return {counters.bytes, counters.reads, counters.seeks, counters.busy_ms / 1000};
}

// The head is somewhere else when a load begins: half way in, where what went before left it.
inline void send_head_away(Drive& drive) {
  drive.read(drive.capacity_bytes() / 2, kPageBytes);
  drive.reset_counters();
}

}  // namespace seekless
