// What runs read right after one another is chained together: for scenarios whose groups of assets
// (a unit and its textures) come in any order, where no asset has a place, only neighbours. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// The commonest successions become links, each asset with one before it and one after it at most;
// then chains lie by where `base`, an order of all assets, has the middle of them. Of many runs,
// some speak for all.
Order chain_order(const RunSet& set, Runs runs, const Order& base);

}  // namespace seekless
