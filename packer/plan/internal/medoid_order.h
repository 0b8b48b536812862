// Finds the run whose order serves the other runs best, and completes it with what it didn't read.
// Pure.
#pragma once

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns the run in whose order some of the other runs read fastest; the first one among equals.
uint32_t medoid_run(const RunSet& set, Runs runs, DemandCost& cost);

// Returns a run's order with the assets inserted that others of `runs` read. Such an asset goes
// after what its run read before it; if it came first there, it goes before what that run read
// next. Assets that none of them reads come last, by index.
Order run_with_others_inserted(const RunSet& set, uint32_t run, Runs runs);

}  // namespace seekless
