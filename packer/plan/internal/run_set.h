// One scenario's runs as the planner's methods take them: side by side in one array, each asset at
// most once a run. Made of an OrderProblem; subsets of the runs (to train on, to judge by) are
// lists of their indices. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace seekless {

class DemandCost;

class RunSet {
 public:
  // `sizes_bytes` must outlive it. Repeats within a run are left out. `weights` is empty (1 each)
  // or as long as `runs`; what isn't above 0 is 0, and where all are 0, all are 1.
  RunSet(std::span<const uint64_t> sizes_bytes, std::span<const std::vector<uint32_t>> runs,
         std::span<const double> weights);

  uint32_t asset_count() const { return static_cast<uint32_t>(sizes_bytes_.size()); }
  uint32_t run_count() const { return static_cast<uint32_t>(weights_.size()); }
  std::span<const uint64_t> sizes_bytes() const { return sizes_bytes_; }
  std::span<const uint32_t> run(uint32_t i) const {
    return std::span(assets_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }
  double weight(uint32_t i) const { return weights_[i]; }

 private:
  std::span<const uint64_t> sizes_bytes_;
  std::vector<uint32_t> assets_;
  std::vector<size_t> begins_;
  std::vector<double> weights_;
};

// Indices in a RunSet; every function below takes those that it is to know, never none.
using Runs = std::span<const uint32_t>;
// All assets by index, in the order they lie in.
using Order = std::vector<uint32_t>;

uint64_t reads_in(const RunSet& set, Runs runs);
// Weighted mean of one run's seconds under demand, with `order`.
double mean_run_s(const RunSet& set, Runs runs, const Order& order, DemandCost& cost);
// Appends the assets that aren't in `order` yet, by index.
void append_others(Order& order, uint32_t asset_count);
// Each asset's place in an order.
std::vector<uint32_t> places_of(const Order& order);
// At most `most` of them, evenly spread.
std::vector<uint32_t> spread_of(Runs runs, uint32_t most);

}  // namespace seekless
