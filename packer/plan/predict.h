// Predicts how long loads keep a drive busy, for a draft. The time of a sweep comes from the
// planner's two figures of the drive (ReadCosts). Assets that are asked for one by one are
// simulated as in the simulator. (The simulator also asks the runtime; the two agree closely.)
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/load_cost.h"
#include "packer/plan/draft.h"
#include "packer/plan/internal/read_costs.h"
#include "packer/plan/needs.h"

namespace seekless {

// Holds the figures of one run, or the sum or mean of several.
struct LoadForecast {
  double sweep_s = 0;        // the sweep, and then the run's other assets one by one
  double demand_s = 0;       // drive time without a sweep: each asset is read when it is requested
  double unseen_assets = 0;  // assets that a run reads but the sweep doesn't read

  LoadForecast& operator+=(const LoadForecast& other);
  bool operator==(const LoadForecast&) const = default;
};

// Returns for each scenario the sum over the runs `runs[scenario]`. The draft may have been made
// from other runs.
std::vector<LoadForecast> forecast(const DraftInput& input, const Draft& draft,
                                   const RunsByScenario& runs);

// Forecasts loads of unrecorded maps. Returns, for each of `sweeps` (lists of the assets they
// bring), the sum over all `runs`.
std::vector<LoadForecast> forecast_unknown(const DraftInput& input, const Draft& draft,
                                           const std::vector<std::vector<uint32_t>>& sweeps,
                                           const std::vector<NeededRun>& runs);

// Returns the mean of `runs` runs whose sum is `sum`, in a layout's form. The caller fills in
// is_held_out and in_memory_bytes.
PredictedLoad to_predicted(const ReadCosts& costs, const LoadForecast& sum, double runs,
                           uint64_t needed_bytes);

// Rounds to as many digits as a layout's file holds, so that reading the file gives the same
// layout.
double to_microseconds(double seconds);

// Returns the time for the needed bytes at the drive's rate and one seek.
double bound_s(const ReadCosts& costs, uint64_t needed_bytes);

}  // namespace seekless
