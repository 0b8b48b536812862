// Assets that aren't worth a place among the others: few runs read them, and each somewhere else.
// Pure.
#pragma once

#include "packer/plan/internal/read_costs.h"
#include "packer/plan/internal/run_set.h"

namespace seekless {

// `order` with those assets after all others. A read is in its place if what the run reads just
// before and after it lies near. What such reads save, two jumps each, is weighed against what the
// other runs lose by reading or jumping over the asset. O(reads).
Order with_strays_last(const RunSet& set, Runs runs, const Order& order, const ReadCosts& costs,
                       uint64_t near_bytes);

}  // namespace seekless
