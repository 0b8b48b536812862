// Collects the values (ranks, places) that runs give for each asset, and sorts the assets by them.
// Several of the planner's methods use this step. Pure.
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
  // Reserves space for one value for each read in `runs`.
  AssetValues(const RunSet& set, Runs runs);

  void add(uint32_t asset, WeightedValue value) { values_[ends_[asset]++] = value; }

  std::span<WeightedValue> of(uint32_t asset) {
    return std::span(values_).subspan(begins_[asset], ends_[asset] - begins_[asset]);
  }

  // Returns the assets sorted by the `centre` of their values; ties go by index, and assets without
  // values come last. `centre` gets at least one value and may reorder them.
  Order sorted_by(const std::function<double(std::span<WeightedValue>)>& centre);

 private:
  std::vector<WeightedValue> values_;
  std::vector<size_t> begins_;  // indexed by asset
  std::vector<size_t> ends_;    // indexed by asset
};

double weighted_mean(std::span<WeightedValue> values);
double weighted_median(std::span<WeightedValue> values);
// Returns the mean of the middle half of the values. It is nearly as exact as the mean, and
// outliers affect it as little as the median.
double weighted_midmean(std::span<WeightedValue> values);

}  // namespace seekless
