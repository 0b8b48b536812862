// Chains assets that runs read right after one another. It serves scenarios whose groups of assets
// (a unit and its textures) come in any order, so that assets have fixed neighbours but no fixed
// place. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// The most common successions become links; each asset gets at most one predecessor and one
// successor. The chains are then sorted by their median place in `base`, an order of all assets. If
// there are many runs, a sample is used.
Order chain_order(const RunSet& set, Runs runs, const Order& base);

}  // namespace seekless
