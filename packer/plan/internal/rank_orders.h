// Orders assets only by when each run read them. Simple planners do this, and the other methods
// have to beat it. Each function turns runs into an order of all assets. Ties go by index; assets
// that none of the runs reads come last, by index. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Takes the first run's order, and appends assets from later runs in the order they read them.
Order first_seen_order(const RunSet& set, Runs runs);
// Sorts by the weighted mean of an asset's rank in the runs that read it.
Order mean_rank_order(const RunSet& set, Runs runs);
// Sorts by the weighted median of an asset's rank in the runs that read it.
Order median_rank_order(const RunSet& set, Runs runs);

}  // namespace seekless
