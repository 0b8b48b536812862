// Made-up recordings: a true order of assets, and runs that are disturbed by threads, chance and
// the order of phases. For tests and benchmarks of the planner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "packer/plan/internal/random_choice.h"

namespace seekless {

struct NoiseParameters {
  uint32_t assets = 1500;
  double total_bytes = 335e6;
  double size_spread = 1.2;     // sigma of the sizes' logarithms
  uint32_t phases = 6;          // number of phases; their lengths differ
  double rotated_share = 0.4;   // share of the runs that begin with another phase
  double shuffled_share = 0;    // share of the runs whose phases come in any order
  double jitter = 3;            // standard deviation, in places, of how far an asset strays
  uint32_t threads = 0;         // each reads every n-th asset of a phase, at a varying speed
  double missing_share = 0.05;  // share of a run's assets that are missing
  // Share of a run that is assets that other runs rarely read, at any place.
  double extra_share = 0.03;
};

class NoisyRuns {
 public:
  NoisyRuns(const NoiseParameters& parameters, uint64_t seed) : of_(parameters), random_(seed) {
    const auto extras = static_cast<uint32_t>(of_.extra_share * of_.assets * 5);
    make_sizes(of_.assets + extras);
    true_order_.resize(of_.assets + extras);
    std::iota(true_order_.begin(), true_order_.end(), 0U);
    random_.shuffle(true_order_);
    cut_phases();
  }

  const std::vector<uint64_t>& sizes_bytes() const { return sizes_bytes_; }
  // The extra assets come last, because they have no place.
  const std::vector<uint32_t>& true_order() const { return true_order_; }

  std::vector<uint32_t> run() {
    std::vector<uint32_t> read;
    for (const size_t phase : phase_order()) read_phase(phase, read);
    const auto extras = static_cast<size_t>(of_.extra_share * of_.assets);
    for (size_t i = 0; i < extras; ++i) {
      const uint32_t extra =
          true_order_[of_.assets + random_.below(true_order_.size() - of_.assets)];
      read.insert(read.begin() + static_cast<ptrdiff_t>(random_.below(read.size() + 1)), extra);
    }
    return read;
  }

  std::vector<std::vector<uint32_t>> runs(size_t count) {
    std::vector<std::vector<uint32_t>> made;
    for (size_t i = 0; i < count; ++i) made.push_back(run());
    return made;
  }

  double uniform() { return static_cast<double>(random_.below(uint64_t{1} << 53)) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  void make_sizes(uint32_t count) {
    std::vector<double> sizes(count);
    for (double& size : sizes) size = std::exp(of_.size_spread * normal());
    const double sum = std::accumulate(sizes.begin(), sizes.begin() + of_.assets, 0.0);
    for (const double size : sizes)
      sizes_bytes_.push_back(static_cast<uint64_t>(size / sum * of_.total_bytes) + 1);
  }

  void cut_phases() {
    phase_begins_ = {0, of_.assets};
    for (uint32_t i = 1; i < of_.phases; ++i)
      phase_begins_.push_back(static_cast<uint32_t>(random_.below(of_.assets)));
    std::ranges::sort(phase_begins_);
  }

  std::vector<size_t> phase_order() {
    std::vector<size_t> order(phase_begins_.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    const double chance = uniform();
    if (chance < of_.rotated_share && order.size() > 1)
      std::ranges::rotate(
          order, order.begin() + 1 + static_cast<ptrdiff_t>(random_.below(order.size() - 1)));
    else if (chance < of_.rotated_share + of_.shuffled_share)
      random_.shuffle(order);
    return order;
  }

  void read_phase(size_t phase, std::vector<uint32_t>& read) {
    struct Timed {
      double time;
      uint32_t asset;
    };
    std::vector<Timed> timed;
    std::vector<double> clocks(of_.threads, 0.0);
    for (uint32_t i = phase_begins_[phase]; i < phase_begins_[phase + 1]; ++i) {
      double time = i;
      if (of_.threads != 0) {
        double& clock = clocks[i % of_.threads];
        // The mean step is as many places as there are threads, distributed like waiting times.
        time = clock += -std::log(1 - uniform()) * of_.threads;
      }
      time += of_.jitter * normal();
      if (uniform() >= of_.missing_share) timed.push_back({time, true_order_[i]});
    }
    std::ranges::stable_sort(timed, {}, &Timed::time);
    for (const Timed& each : timed) read.push_back(each.asset);
  }

  NoiseParameters of_;
  RandomChoice random_;
  std::vector<uint64_t> sizes_bytes_;
  std::vector<uint32_t> true_order_;
  std::vector<uint32_t> phase_begins_;
};

}  // namespace seekless
