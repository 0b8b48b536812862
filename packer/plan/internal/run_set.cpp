#include "packer/plan/internal/run_set.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "packer/host/interrupt.h"
#include "packer/plan/internal/demand_cost.h"

namespace seekless {

RunSet::RunSet(std::span<const uint64_t> sizes_bytes, std::span<const std::vector<uint32_t>> runs,
               std::span<const double> weights)
    : sizes_bytes_(sizes_bytes), begins_{0}, weights_(runs.size(), 1.0) {
  assert(weights.empty() || weights.size() == runs.size());
  std::vector<uint32_t> last_run(sizes_bytes.size(), UINT32_MAX);
  for (uint32_t i = 0; i < runs.size(); ++i) {
    for (const uint32_t asset : runs[i]) {
      assert(asset < sizes_bytes.size());
      if (last_run[asset] == i) continue;
      last_run[asset] = i;
      assets_.push_back(asset);
    }
    begins_.push_back(assets_.size());
  }
  const auto counts = [](double w) { return std::isfinite(w) && w > 0; };
  if (std::ranges::any_of(weights, counts))
    std::ranges::transform(weights, weights_.begin(), [&](double w) { return counts(w) ? w : 0; });
}

uint64_t reads_in(const RunSet& set, Runs runs) {
  uint64_t reads = 0;
  for (const uint32_t i : runs) reads += set.run(i).size();
  return reads;
}

double mean_run_s(const RunSet& set, Runs runs, const Order& order, DemandCost& cost) {
  cost.lay(set.sizes_bytes(), order);
  double sum_s = 0;
  double weights = 0;
  for (const uint32_t i : runs) {
    stop_if_interrupted();
    sum_s += set.weight(i) * cost.run_s(set.run(i));
    weights += set.weight(i);
  }
  return weights > 0 ? sum_s / weights : 0;
}

void append_others(Order& order, uint32_t asset_count) {
  std::vector<bool> is_in(asset_count);
  for (const uint32_t asset : order) is_in[asset] = true;
  for (uint32_t asset = 0; asset < asset_count; ++asset)
    if (!is_in[asset]) order.push_back(asset);
}

std::vector<uint32_t> places_of(const Order& order) {
  std::vector<uint32_t> places(order.size());
  for (uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  return places;
}

std::vector<uint32_t> spread_of(Runs runs, uint32_t most) {
  if (runs.size() <= most) return {runs.begin(), runs.end()};
  std::vector<uint32_t> chosen(most);
  for (uint32_t i = 0; i < most; ++i) chosen[i] = runs[uint64_t{i} * runs.size() / most];
  return chosen;
}

}  // namespace seekless
