// Fewer disagreements between an order and the runs about which of two near assets comes first:
// local search on Kemeny's measure, which finds exact orders where ranks only average. Pure.
#pragma once

#include "packer/plan/internal/run_set.h"

namespace seekless {

// `order` with assets moved by up to a few places at a time for as long as that leaves more of the
// runs' pairs in their order. Of many runs, some speak for all. Pairs that lie further apart aren't
// looked at, so that runs whose phases come in another order have no say in it.
Order with_precedence_kept(const RunSet& set, Runs runs, Order order);

// `order` with assets exchanged that nearly all runs read the other way round, if they are near.
// The places themselves stay where ranks have put them: how two threads' reads interleave.
Order with_sure_pairs_kept(const RunSet& set, Runs runs, Order order);

}  // namespace seekless
