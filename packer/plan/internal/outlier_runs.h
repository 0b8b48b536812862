// Runs that read other things than the others: recorded under a wrong name, or broken off. Pure.
#pragma once

#include <vector>

#include "packer/plan/internal/run_set.h"

namespace seekless {

// A run's overlap is the mean, over what it reads, of the share of the other runs that read that
// too. Outliers have less than half of the median run's overlap. Two runs can't tell which of them
// is the odd one, nor can runs that share nothing. By index.
std::vector<uint32_t> find_outlier_runs(const RunSet& set, Runs runs);

}  // namespace seekless
