// Polishing an order of so few assets that every move can be tried by reading all runs again. Pure.
#pragma once

#include <span>

#include "packer/plan/internal/demand_cost.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// Whether trying every move once takes no more than a few milliseconds.
bool is_small(const RunSet& set, Runs runs);

// The cheapest order for `runs` that is found from any of `starts` (at least one), or from the
// first run's own, by exchanging two neighbouring stretches or two assets, as long as that helps;
// then `kicks` times from there with a few moves made at random.
Order polish_small(const RunSet& set, Runs runs, std::span<const Order> starts, DemandCost& cost,
                   uint32_t kicks, uint64_t seed);

}  // namespace seekless
