// Figures that runs give for assets (ranks, places), gathered by asset and turned into an order. A
// step of several of the planner's methods. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "packer/plan/internal/run_set.h"

namespace seekless {

struct WeightedValue {
  double value = 0;
  double weight = 0;
};

class AssetValues {
 public:
  // With room for one value for each read in `runs`.
  AssetValues(const RunSet& set, Runs runs);

  void add(uint32_t asset, WeightedValue value) { values_[ends_[asset]++] = value; }

  std::span<WeightedValue> of(uint32_t asset) {
    return std::span(values_).subspan(begins_[asset], ends_[asset] - begins_[asset]);
  }

  // Assets by what `centre` makes of their values, which it may reorder, and gets at least one of;
  // assets without values last; ties by index.
  Order sorted_by(const std::function<double(std::span<WeightedValue>)>& centre);

 private:
  std::vector<WeightedValue> values_;
  std::vector<size_t> begins_;  // by asset
  std::vector<size_t> ends_;    // by asset
};

double weighted_mean(std::span<WeightedValue> values);
double weighted_median(std::span<WeightedValue> values);
// The mean of the middle half: nearly as exact as a mean, and strays move it as little as a median.
double weighted_midmean(std::span<WeightedValue> values);

}  // namespace seekless
