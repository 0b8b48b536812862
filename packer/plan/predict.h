// What loads would keep a drive busy for on a draft: sweeps by the planner's two figures of the
// drive, what is asked for one by one as the simulator does, asset by asset. (The simulator asks
// the runtime, too; the two agree closely.) Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/content/content.h"
#include "packer/drive/load_cost.h"
#include "packer/plan/draft.h"
#include "packer/plan/internal/read_costs.h"
#include "packer/plan/needs.h"

namespace seekless {

// Of one run, or the mean of several.
struct LoadForecast {
  double sweep_s = 0;        // the sweep, and what the run reads beyond it, one by one
  double demand_s = 0;       // each asset as it is asked for
  double unseen_assets = 0;  // that a run reads and the sweep doesn't bring

  LoadForecast& operator+=(const LoadForecast& other);
  bool operator==(const LoadForecast&) const = default;
};

// Sums of the runs of `runs[scenario]`, by scenario. The draft may be made of other runs.
std::vector<LoadForecast> forecast(const DraftInput& input, const Draft& draft,
                                   const RunsByScenario& runs);

// Of loads that nobody recorded: for each of `sweeps` (assets that are swept for them, whatever
// they need), the sum of `runs`.
std::vector<LoadForecast> forecast_unknown(const DraftInput& input, const Draft& draft,
                                           const std::vector<std::vector<uint32_t>>& sweeps,
                                           const std::vector<NeededRun>& runs);

// The mean of `runs` runs, whose sum is `sum`, as a layout tells it. Whether it was held out, and
// what memory held, is left to the caller.
PredictedLoad to_predicted(const ReadCosts& costs, const LoadForecast& sum, double runs,
                           uint64_t needed_bytes);

// As many digits as a layout's file holds, so that reading it gives the same layout.
double to_microseconds(double seconds);

// Needed bytes at the drive's rate, and one seek.
double bound_s(const ReadCosts& costs, uint64_t needed_bytes);

}  // namespace seekless
