#include "packer/layout/portfolio.h"

#include "packer/layout/aligned_order.h"
#include "packer/layout/medoid_order.h"
#include "packer/layout/precedence.h"
#include "packer/layout/rank_orders.h"

namespace seekless {

std::vector<Candidate> make_candidates(const RunSet& set, Runs runs, const ReadCosts& costs,
                                       uint64_t cache_bytes, DemandCost& cost) {
  const Order medoid = run_with_others_inserted(set, medoid_run(set, runs, cost), runs);
  const Order aligned = aligned_order(set, runs, medoid);
  const Order precedence = with_precedence_kept(set, runs, aligned);
  const auto without_strays = [&](const Order& order) {
    return with_strays_last(set, runs, order, costs, cache_bytes);
  };
  return {{"first-seen", first_seen_order(set, runs)},
          {"mean rank", mean_rank_order(set, runs)},
          {"median rank", median_rank_order(set, runs)},
          {"medoid", medoid},
          {"medoid, strays last", without_strays(medoid)},
          {"aligned", aligned},
          {"aligned, strays last", without_strays(aligned)},
          {"precedence", precedence},
          {"precedence, strays last", without_strays(precedence)}};
}

}  // namespace seekless
