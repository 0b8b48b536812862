// Holds one scenario's runs as the planner's methods use them: in one array, with each asset at
// most once in a run. It is made from an OrderProblem. Subsets of the runs, for training or
// judging, are lists of indices. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace seekless {

class DemandCost;

class RunSet {
 public:
  // `sizes_bytes` must outlive it. Repeats within a run are dropped. `weights` is empty (1 each) or
  // as long as `runs`. Weights that aren't above 0 become 0; if all are 0, all become 1.
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

// Indices in a RunSet. The functions below use only these runs; the list must not be empty.
using Runs = std::span<const uint32_t>;
// Indices of all assets, in the order they lie.
using Order = std::vector<uint32_t>;

uint64_t reads_in(const RunSet& set, Runs runs);
// Returns the weighted mean of one run's seconds if the assets lie in `order` and are asked for one
// by one.
double mean_run_s(const RunSet& set, Runs runs, const Order& order, DemandCost& cost);
// Appends to `order` the assets that it lacks, by index.
void append_others(Order& order, uint32_t asset_count);
// Returns each asset's place in an order.
std::vector<uint32_t> places_of(const Order& order);
// Returns at most `most` of the runs, spread evenly.
std::vector<uint32_t> spread_of(Runs runs, uint32_t most);

}  // namespace seekless
