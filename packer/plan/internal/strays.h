// Finds strays: assets that aren't worth a place among the others, because few runs read them, and
// each run at another point. Pure.
#pragma once

#include "packer/plan/internal/read_costs.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns `order` with the strays moved behind all other assets. A read counts as in place if the
// run's reads just before and after it lie near. An asset's place saves two jumps for each such
// read, but the other runs lose time reading or jumping over it. A stray loses more time than it
// saves. Takes O(reads).
Order with_strays_last(const RunSet& set, Runs runs, const Order& order, const ReadCosts& costs,
                       uint64_t near_bytes);

}  // namespace seekless
