// Reduces disagreements between an order and the runs about which of two nearby assets comes first.
// It is a local search on Kemeny's measure, which finds exact orders where ranks only average.
// Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns `order` after moving single assets by a few places, as long as that puts more pairs of
// assets into the order in which the runs read them. If there are many runs, uses a sample. Pairs
// farther apart are ignored, so a run with its phases in another order doesn't count for them.
Order with_precedence_kept(const RunSet& set, Runs runs, Order order);

// Returns `order` after swapping nearby assets that nearly all runs read in the opposite order. The
// other assets keep the places from their ranks, which show how the reads of two threads
// interleave.
Order with_sure_pairs_kept(const RunSet& set, Runs runs, Order order);

}  // namespace seekless
