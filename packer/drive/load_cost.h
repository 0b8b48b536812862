// What loads cost, measured or expected, and what copies of their content bring: the one set of
// types from the planner to the pages.
#pragma once

#include <cstdint>
#include <span>

namespace seekless {

// What loading one scenario costs.
struct LoadCost {
  uint64_t bytes = 0;  // that the drive delivers
  uint64_t reads = 0;  // commands to the drive
  uint64_t seeks = 0;  // moves of the head
  double seconds = 0;  // that the drive is busy
};

// A load in figures: what it costs, how much it needs, and the least that any order takes.
struct LoadFigures {
  LoadCost cost;
  uint64_t needed_bytes = 0;
  double bound_seconds = 0;
};

// A command to the drive: when it began, in seconds of the drive's busy time, and what it read. For
// the picture.
struct HeadMove {
  double start_s = 0;
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
};

// What one load of a scenario is expected to keep the drive busy for. Seconds are whole
// microseconds.
struct PredictedLoad {
  double sweep_s = 0;   // the runtime's sweep, and then what it doesn't bring, asked for one by one
  double demand_s = 0;  // everything asked for one by one, as the runs did
  double bound_s = 0;   // needed bytes at the drive's rate, and one seek
  uint64_t needed_bytes = 0;
  bool is_held_out = false;  // of runs that the layout it was tried on wasn't made from
  double unseen_assets = 0;  // that a run reads and the sweep doesn't bring; where that is known
  uint64_t in_memory_bytes = 0;  // left out: read earlier in the session

  bool operator==(const PredictedLoad&) const = default;
};

// What packs with so many bytes of copies bring.
struct CopyPrice {
  double size_ratio = 1;  // bytes in all packs / bytes of the content
  uint64_t copied_bytes = 0;
  double seconds = 0;  // of all recorded scenarios swept once, each times its weight

  bool operator==(const CopyPrice&) const = default;
};

// Bytes in all packs by those of the content with so many bytes of copies; `curve` says it of
// others.
inline double size_ratio_of(uint64_t copied_bytes, std::span<const CopyPrice> curve) {
  if (curve.empty() || curve.back().copied_bytes == 0) return 1;
  const CopyPrice& most = curve.back();
  return 1 + (most.size_ratio - 1) * static_cast<double>(copied_bytes) /
                 static_cast<double>(most.copied_bytes);
}

}  // namespace seekless
