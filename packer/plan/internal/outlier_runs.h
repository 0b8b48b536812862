// Finds runs that read other things than the other runs: recorded under a wrong name, or broken
// off. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns the outliers among `runs`, as indices. For each asset that a run reads, take the share of
// the other runs that read it, too; the mean of these shares is the run's overlap. Outliers have
// less than half of the median run's overlap. Of two runs neither can be called the odd one, and of
// runs that share nothing none can.
std::vector<uint32_t> find_outlier_runs(const RunSet& set, Runs runs);

}  // namespace seekless
