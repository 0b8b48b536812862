// Ranks made comparable before they are averaged: runs whose phases come in another order, start
// late or leave much out are laid alongside a reference first, piece by piece. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// `reference` is an order of all assets, such as the medoid's. In each run the reads just before
// and just after an asset tell by how much that stretch of the run is shifted against the
// reference; rank plus shift is where that run would put the asset. An asset's place is the midmean
// of those; the outcome is the next reference, a few times over. O(reads).
Order aligned_order(const RunSet& set, Runs runs, const Order& reference);

}  // namespace seekless
