// The order of the run that serves the others best, completed by what it didn't read. Pure.
#pragma once

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// Judged by reading some of the other runs in it; of equal ones the first.
uint32_t medoid_run(const RunSet& set, Runs runs, DemandCost& cost);

// A run's order; what others of `runs` read besides goes after what they read before it, or before
// what they read next if it came first. What none reads comes last, by index.
Order run_with_others_inserted(const RunSet& set, uint32_t run, Runs runs);

}  // namespace seekless
