#include "packer/plan/internal/rank_orders.h"

#include "packer/plan/internal/asset_values.h"

namespace seekless {
namespace {

AssetValues ranks(const RunSet& set, Runs runs) {
  AssetValues values(set, runs);
  for (const uint32_t i : runs) {
    double rank = 0;
    for (const uint32_t asset : set.run(i)) values.add(asset, {rank++, set.weight(i)});
  }
  return values;
}

}  // namespace

Order first_seen_order(const RunSet& set, Runs runs) {
  Order order;
  std::vector<bool> is_in(set.asset_count());
  for (const uint32_t i : runs)
    for (const uint32_t asset : set.run(i)) {
      if (!is_in[asset]) order.push_back(asset);
      is_in[asset] = true;
    }
  append_others(order, set.asset_count());
  return order;
}

Order mean_rank_order(const RunSet& set, Runs runs) {
  return ranks(set, runs).sorted_by(weighted_mean);
}

Order median_rank_order(const RunSet& set, Runs runs) {
  return ranks(set, runs).sorted_by(weighted_median);
}

}  // namespace seekless
