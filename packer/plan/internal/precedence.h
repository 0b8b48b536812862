// Reduces disagreements between an order and the runs about which of two nearby assets comes first.
// It is a local search on Kemeny's measure, which finds exact orders where ranks only average.
// Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// Returns `order` after moving single assets by a few places, as long as that makes more pairs of
// assets lie in the order in which the runs read them. If there are many runs, a sample is used.
// Pairs farther apart are ignored, so runs whose phases come in another order don't count there.
Order with_precedence_kept(const RunSet& set, Runs runs, Order order);

// Returns `order` after swapping nearby assets that nearly all runs read the other way round. The
// other assets keep the places that ranks gave them, which tell how the reads of two threads
// interleave.
Order with_sure_pairs_kept(const RunSet& set, Runs runs, Order order);

}  // namespace seekless
