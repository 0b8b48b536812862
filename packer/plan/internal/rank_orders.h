// Orders by when assets were read in each run, and nothing else: what simple planners do, and
// what the others have to beat. Runs to an order of all assets; what none of the runs reads comes
// last, by index, as do ties. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// The first run's order; what later runs add follows, as they read it.
Order first_seen_order(const RunSet& set, Runs runs);
// By the weighted mean of an asset's rank in the runs that read it.
Order mean_rank_order(const RunSet& set, Runs runs);
// By the weighted median of those ranks.
Order median_rank_order(const RunSet& set, Runs runs);

}  // namespace seekless
