// Finds runs that read other things than most runs, because they were recorded under a wrong name,
// or broken off. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns the indices of the outliers among `runs`. Each asset of a run has a share: the part of
// the other runs that read it too. The mean share is the run's overlap. Outliers have less than
// half of the median run's overlap. With two runs, or with runs that share nothing, there are no
// outliers.
std::vector<uint32_t> find_outlier_runs(const RunSet& set, Runs runs);

}  // namespace seekless
