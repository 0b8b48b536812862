// Orders assets by balanced partitioning: they are halved again and again, so that assets that a
// run reads in one stretch stay together. LLVM orders functions by start-up traces in this way
// (Dhulipala et al. 2016, "Compressing graphs and indexes with recursive graph bisection"). The
// runs needn't agree on an order. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Starts from `start`, an order of all assets, which decides which half comes first and orders the
// smallest parts. If there are many runs, uses a sample. Takes O(reads * log(assets)).
Order partition_order(const RunSet& set, Runs runs, const Order& start);

}  // namespace seekless
