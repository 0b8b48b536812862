// Balanced partitioning: assets are halved again and again, so that what is read in one stretch of
// a run stays together, as LLVM orders functions by start-up traces (Dhulipala et al. 2016,
// "Compressing graphs and indexes with recursive graph bisection"). Needs no two runs to agree on
// an order. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// From `start`, an order of all assets: it says which half is which, and orders the last few. Of
// many runs, some speak for all. O(reads * log(assets)).
Order partition_order(const RunSet& set, Runs runs, const Order& start);

}  // namespace seekless
