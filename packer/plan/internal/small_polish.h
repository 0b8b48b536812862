// Polishes an order of so few assets that every move can be judged by simulating all runs again.
// Pure.
#pragma once

#include <span>

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns true if trying every move once takes at most a few milliseconds.
bool is_small(const RunSet& set, Runs runs);

// Returns the cheapest order found for `runs`. It starts from each of `starts` (at least one) and
// from the first run's own order, and exchanges two neighbouring stretches or two assets as long as
// that helps. Then it makes a few random moves and repeats this, `kicks` times.
Order polish_small(const RunSet& set, Runs runs, std::span<const Order> starts, DemandCost& cost,
                   uint32_t kicks, uint64_t seed);

}  // namespace seekless
