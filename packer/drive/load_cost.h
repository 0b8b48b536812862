// Defines what loads cost, measured or predicted, and what copies of content gain. Everything from
// the planner to the pages uses these types.
#pragma once

#include <cstdint>
#include <span>

namespace seekless {

// Holds what loading one scenario costs.
struct LoadCost {
  uint64_t bytes = 0;  // delivered by the drive
  uint64_t reads = 0;  // commands to the drive
  uint64_t seeks = 0;  // moves of the head
  double seconds = 0;  // time for which the drive is busy
};

// Holds what a load costs, how much it needs, and the least time that any order takes.
struct LoadFigures {
  LoadCost cost;
  uint64_t needed_bytes = 0;
  double bound_seconds = 0;
};

// Describes a command to the drive: when it began, in seconds of the drive's busy time, and what it
// read. Pictures are drawn from these.
struct HeadMove {
  double start_s = 0;
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
};

// Predicts how long one load of a scenario keeps the drive busy. Seconds are rounded to
// microseconds.
struct PredictedLoad {
  double sweep_s = 0;  // the runtime's sweep, and then the other assets one by one
  // Drive time if all assets are requested one by one, in the order of the runs.
  double demand_s = 0;
  double bound_s = 0;  // needed bytes at the drive's rate, and one seek
  uint64_t needed_bytes = 0;
  bool is_held_out = false;      // measured on runs that the layout wasn't made from
  double unseen_assets = 0;      // assets that a run reads but the sweep doesn't read, if known
  uint64_t in_memory_bytes = 0;  // left out, because it was read earlier in the session

  bool operator==(const PredictedLoad&) const = default;
};

// Holds what packs gain with `copied_bytes` of copies.
struct CopyPrice {
  double size_ratio = 1;  // bytes in all packs / bytes of the content
  uint64_t copied_bytes = 0;
  double seconds = 0;  // weighted sum over recorded scenarios, each swept once

  bool operator==(const CopyPrice&) const = default;
};

// Returns the bytes in all packs, with `copied_bytes` of copies, divided by the bytes of the
// content. Interpolates in `curve`, whose points have other amounts of copies.
inline double size_ratio_of(uint64_t copied_bytes, std::span<const CopyPrice> curve) {
  if (curve.empty() || curve.back().copied_bytes == 0) return 1;
  const CopyPrice& most = curve.back();
  return 1 + (most.size_ratio - 1) * static_cast<double>(copied_bytes) /
                 static_cast<double>(most.copied_bytes);
}

}  // namespace seekless
