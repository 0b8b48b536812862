#include "packer/plan/internal/medoid_order.h"

#include <limits>

namespace seekless {
namespace {

// Trying every run on every other one would take quadratic time. This many candidates and judges
// are enough.
constexpr uint32_t kMostCandidates = 16;
constexpr uint32_t kMostJudges = 8;

// Links assets in a ring with one extra element that stands for both ends.
class RingOfAssets {
 public:
  explicit RingOfAssets(uint32_t asset_count)
      : next_(asset_count + 1, kOut), previous_(asset_count + 1, kOut), ends_(asset_count) {
    next_[ends_] = previous_[ends_] = ends_;
  }

  uint32_t ends() const { return ends_; }
  bool holds(uint32_t asset) const { return next_[asset] != kOut; }
  uint32_t previous(uint32_t asset) const { return previous_[asset]; }

  void insert_behind(uint32_t at, uint32_t asset) {
    next_[asset] = next_[at];
    previous_[asset] = at;
    previous_[next_[at]] = asset;
    next_[at] = asset;
  }

  Order order() const {
    Order order;
    for (uint32_t asset = next_[ends_]; asset != ends_; asset = next_[asset])
      order.push_back(asset);
    return order;
  }

 private:
  static constexpr uint32_t kOut = UINT32_MAX;
  std::vector<uint32_t> next_, previous_;
  uint32_t ends_;
};

void insert_others(RingOfAssets& chain, std::span<const uint32_t> run) {
  size_t known = 0;
  while (known < run.size() && !chain.holds(run[known])) ++known;
  uint32_t at = known < run.size() ? chain.previous(run[known]) : chain.previous(chain.ends());
  for (const uint32_t asset : run) {
    if (!chain.holds(asset)) chain.insert_behind(at, asset);
    at = asset;
  }
}

}  // namespace

uint32_t medoid_run(const RunSet& set, Runs runs, DemandCost& cost) {
  const std::vector<uint32_t> judges = spread_of(runs, kMostJudges);
  uint32_t best = runs.front();
  double best_s = std::numeric_limits<double>::infinity();
  if (runs.size() == 1) return best;
  for (const uint32_t run : spread_of(runs, kMostCandidates)) {
    const double s = mean_run_s(set, judges, run_with_others_inserted(set, run, judges), cost);
    if (s < best_s) {
      best_s = s;
      best = run;
    }
  }
  return best;
}

Order run_with_others_inserted(const RunSet& set, uint32_t run, Runs runs) {
  RingOfAssets chain(set.asset_count());
  insert_others(chain, set.run(run));
  for (const uint32_t other : runs) insert_others(chain, set.run(other));
  Order order = chain.order();
  append_others(order, set.asset_count());
  return order;
}

}  // namespace seekless
