#include "packer/plan/internal/small_polish.h"

#include <algorithm>

#include "packer/plan/internal/random_choice.h"

namespace seekless {
namespace {

// A dozen assets in six runs reach this limit, and take a few milliseconds in all.
constexpr uint64_t kMostReadsPerPass = 7'000;
// Smaller gains may be rounding errors.
constexpr double kSmallestGainS = 1e-9;

struct Polished {
  Order order;
  double run_s = 0;
};

// Returns how many places at the front of the order hold assets that runs read.
uint32_t read_assets(const RunSet& set, Runs runs, const Order& order) {
  std::vector<bool> is_read(set.asset_count());
  for (const uint32_t i : runs)
    for (const uint32_t asset : set.run(i)) is_read[asset] = true;
  uint32_t count = set.asset_count();
  while (count > 0 && !is_read[order[count - 1]]) --count;
  return count;
}

class Climber {
 public:
  Climber(const RunSet& set, Runs runs, DemandCost& cost) : set_(set), runs_(runs), cost_(cost) {}

  Polished climb(Order order, uint32_t end) {
    Polished best = {std::move(order), 0};
    best.run_s = run_s(best.order);
    while (try_stretches(best, end) || try_pairs(best, end)) {
    }
    return best;
  }

 private:
  double run_s(const Order& order) { return mean_run_s(set_, runs_, order, cost_); }

  bool keep_if_better(Polished& best) {
    const double s = run_s(tried_);
    if (s >= best.run_s - kSmallestGainS) return false;
    best = {tried_, s};
    return true;
  }

  // Tries to exchange neighbouring stretches [a, b) and [b, c).
  bool try_stretches(Polished& best, uint32_t end) {
    bool is_better = false;
    for (uint32_t a = 0; a + 1 < end; ++a)
      for (uint32_t b = a + 1; b < end; ++b)
        for (uint32_t c = b + 1; c <= end; ++c) {
          tried_ = best.order;
          std::rotate(tried_.begin() + a, tried_.begin() + b, tried_.begin() + c);
          is_better |= keep_if_better(best);
        }
    return is_better;
  }

  bool try_pairs(Polished& best, uint32_t end) {
    bool is_better = false;
    for (uint32_t a = 0; a + 1 < end; ++a)
      for (uint32_t b = a + 1; b < end; ++b) {
        tried_ = best.order;
        std::swap(tried_[a], tried_[b]);
        is_better |= keep_if_better(best);
      }
    return is_better;
  }

  const RunSet& set_;
  Runs runs_;
  DemandCost& cost_;
  Order tried_;
};

void kick(Order& order, uint32_t end, RandomChoice& random) {
  for (int i = 0; i < 3; ++i) {
    uint64_t cuts[] = {random.below(end + 1), random.below(end + 1), random.below(end + 1)};
    std::ranges::sort(cuts);
    const auto at = [&](uint64_t cut) { return order.begin() + static_cast<ptrdiff_t>(cut); };
    std::rotate(at(cuts[0]), at(cuts[1]), at(cuts[2]));
  }
}

}  // namespace

bool is_small(const RunSet& set, Runs runs) {
  const uint64_t assets = set.asset_count();
  if (assets > 64) return false;  // also keeps the product below from overflowing
  return assets * assets * assets / 6 * reads_in(set, runs) <= kMostReadsPerPass;
}

Order polish_small(const RunSet& set, Runs runs, std::span<const Order> starts, DemandCost& cost,
                   uint32_t kicks, uint64_t seed) {
  Climber climber(set, runs, cost);
  RandomChoice random(seed);
  const uint32_t end = read_assets(set, runs, starts.front());
  Polished best = climber.climb(starts.front(), end);
  const auto climb_from = [&](const Order& order) {
    Polished polished = climber.climb(order, end);
    if (polished.run_s < best.run_s - kSmallestGainS) best = std::move(polished);
  };
  for (const Order& start : starts.subspan(1)) climb_from(start);
  Order own(set.run(runs.front()).begin(), set.run(runs.front()).end());
  append_others(own, set.asset_count());
  climb_from(own);
  for (uint32_t i = 0; i < kicks && end > 3; ++i) {
    Order order = best.order;
    kick(order, end, random);
    climb_from(order);
  }
  return best.order;
}

}  // namespace seekless
