// Averages ranks after making them comparable. Runs may have their phases in another order, start
// late or leave much out; so each run is first aligned with a reference, piece by piece. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns an order made by repeatedly averaging aligned places, starting from `reference`, an order
// of all assets such as the medoid's. In each run, the reads just before and just after an asset
// show how far that stretch of the run is shifted against the reference. The asset's rank plus the
// shift is its place according to that run. The midmean of these places orders the assets; the
// result is the reference of the next pass. Takes O(reads).
Order aligned_order(const RunSet& set, Runs runs, const Order& reference);

}  // namespace seekless
