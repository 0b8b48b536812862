// The methods that compete for a scenario's order. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "packer/layout/demand_cost.h"
#include "packer/layout/run_set.h"

namespace seekless {

struct Candidate {
  std::string_view method;
  Order order;
};

// Always the same methods, the plainest first; the first one is "first-seen".
std::vector<Candidate> make_candidates(const RunSet& set, Runs runs, const ReadCosts& costs,
                                       uint64_t cache_bytes, DemandCost& cost);

}  // namespace seekless
