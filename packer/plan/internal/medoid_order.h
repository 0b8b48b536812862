// Finds the run whose order serves the other runs best, and inserts the assets it didn't read.
// Pure.
#pragma once

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns the run whose order lets a sample of the other runs read fastest; the first one among
// equals.
uint32_t medoid_run(const RunSet& set, Runs runs, DemandCost& cost);

// Returns a run's order, and inserts the assets that only other runs of `runs` read. Such an asset
// goes after the asset that its run read before it. If it came first in its run, it goes before the
// asset that its run read next. Assets that none of the runs reads come last, by index.
Order run_with_others_inserted(const RunSet& set, uint32_t run, Runs runs);

}  // namespace seekless
