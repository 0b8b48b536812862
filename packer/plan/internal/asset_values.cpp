#include "packer/plan/internal/asset_values.h"

#include <algorithm>
#include <limits>

namespace seekless {
namespace {

double sort_and_weigh(std::span<WeightedValue> values) {
  std::ranges::sort(values, {}, &WeightedValue::value);
  double weight = 0;
  for (const WeightedValue& each : values) weight += each.weight;
  return weight;
}

}  // namespace

AssetValues::AssetValues(const RunSet& set, Runs runs) : begins_(set.asset_count() + 1) {
  for (const uint32_t i : runs)
    for (const uint32_t asset : set.run(i)) ++begins_[asset + 1];
  for (size_t asset = 0; asset + 1 < begins_.size(); ++asset) begins_[asset + 1] += begins_[asset];
  values_.resize(begins_.back());
  ends_.assign(begins_.begin(), begins_.end() - 1);
}

Order AssetValues::sorted_by(const std::function<double(std::span<WeightedValue>)>& centre) {
  std::vector<double> centres(ends_.size(), std::numeric_limits<double>::infinity());
  Order order(ends_.size());
  for (uint32_t asset = 0; asset < ends_.size(); ++asset) {
    const std::span<WeightedValue> values = of(asset);
    if (!values.empty()) centres[asset] = centre(values);
    order[asset] = asset;
  }
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return centres[a] != centres[b] ? centres[a] < centres[b] : a < b;
  });
  return order;
}

double weighted_mean(std::span<WeightedValue> values) {
  double sum = 0;
  double weight = 0;
  for (const WeightedValue& each : values) {
    sum += each.value * each.weight;
    weight += each.weight;
  }
  return weight > 0 ? sum / weight : values.front().value;
}

double weighted_median(std::span<WeightedValue> values) {
  const double half = sort_and_weigh(values) / 2;
  double weight = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    weight += values[i].weight;
    if (weight == half && i + 1 < values.size()) return (values[i].value + values[i + 1].value) / 2;
    if (weight >= half) return values[i].value;
  }
  return values.back().value;
}

double weighted_midmean(std::span<WeightedValue> values) {
  const double all = sort_and_weigh(values);
  if (!(all > 0)) return weighted_median(values);
  double before = 0;
  double sum = 0;
  for (const WeightedValue& each : values) {
    const double from = std::max(before, all / 4);
    before += each.weight;
    sum += each.value * std::max(0.0, std::min(before, all * 3 / 4) - from);
  }
  return sum / (all / 2);
}

}  // namespace seekless
