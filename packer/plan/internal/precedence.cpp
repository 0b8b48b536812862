#include "packer/plan/internal/precedence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace seekless {
namespace {

constexpr uint32_t kComparedRuns = 48;
constexpr uint32_t kMovedPlaces = 16;
constexpr float kNearReads = 64;
constexpr int kMostSweeps = 8;
constexpr double kWeightSteps = 64;

// Stores when each run reads each asset. The times of one asset lie side by side, so a few
// instructions compare two assets for all runs.
class ReadTimes {
 public:
  ReadTimes(const RunSet& set, Runs runs)
      : runs_(runs.size()), times_(runs.size() * set.asset_count(), kNever) {
    double most = 0;
    for (const uint32_t run : runs) most = std::max(most, set.weight(run));
    for (size_t i = 0; i < runs_; ++i) {
      weights_.push_back(std::max(
          1, static_cast<int32_t>(std::lround(set.weight(runs[i]) / most * kWeightSteps))));
      float time = 0;
      for (const uint32_t asset : set.run(runs[i])) times_[asset * runs_ + i] = time++;
    }
  }

  // Returns the weight of the runs that read `a` before `b`, minus the weight of those that read
  // `b` before `a`. Only reads close to each other count: a run that reads the two in different
  // phases says nothing about their order within a phase.
  int32_t precedence(uint32_t a, uint32_t b) const {
    const float* of_a = times_.data() + a * runs_;
    const float* of_b = times_.data() + b * runs_;
    int32_t sum = 0;
    for (size_t i = 0; i < runs_; ++i) {
      const float by = of_b[i] - of_a[i];
      sum += weights_[i] * (int32_t{by > 0} & int32_t{by <= kNearReads});
      sum -= weights_[i] * (int32_t{by < 0} & int32_t{by >= -kNearReads});
    }
    return sum;
  }

  // Returns true if at least two runs read both, and nearly all of those read `b` before `a`.
  bool is_surely_behind(uint32_t a, uint32_t b) const {
    const float* of_a = times_.data() + a * runs_;
    const float* of_b = times_.data() + b * runs_;
    int32_t before = 0;
    int32_t after = 0;
    for (size_t i = 0; i < runs_; ++i) {
      const float by = of_b[i] - of_a[i];
      before += int32_t{by > 0} & int32_t{by <= kNearReads};
      after += int32_t{by < 0} & int32_t{by >= -kNearReads};
    }
    return after >= 2 && after >= 8 * before;
  }

 private:
  static constexpr float kNever =
      std::numeric_limits<float>::quiet_NaN();  // every comparison with this value is false
  size_t runs_;
  std::vector<float> times_;
  std::vector<int32_t> weights_;
};

// Returns the nearby place at which the asset at `place` agrees with most of the runs' pairs.
uint32_t best_place(const Order& order, uint32_t place, const ReadTimes& times) {
  uint32_t best = place;
  int32_t most = 0;
  const auto consider = [&](uint32_t at, int32_t gain) {
    if (gain <= most) return;
    most = gain;
    best = at;
  };
  int32_t gain = 0;
  for (uint32_t at = place; at > 0 && place - at < kMovedPlaces; --at) {
    gain += times.precedence(order[place], order[at - 1]);
    consider(at - 1, gain);
  }
  gain = 0;
  for (uint32_t at = place + 1; at < order.size() && at - place <= kMovedPlaces; ++at) {
    gain += times.precedence(order[at], order[place]);
    consider(at, gain);
  }
  return best;
}

}  // namespace

Order with_precedence_kept(const RunSet& set, Runs runs, Order order) {
  const ReadTimes times(set, spread_of(runs, kComparedRuns));
  // Indexed by place: true if an asset near it moved since it was looked at. Else it would stay.
  std::vector<uint8_t> is_due(order.size(), 1);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool is_changed = false;
    for (uint32_t place = 0; place < order.size(); ++place) {
      if (std::exchange(is_due[place], 0) == 0) continue;
      const uint32_t to = best_place(order, place, times);
      if (to == place) continue;
      is_changed = true;
      const auto at = [&](uint32_t p) { return order.begin() + static_cast<ptrdiff_t>(p); };
      if (to < place)
        std::rotate(at(to), at(place), at(place + 1));
      else
        std::rotate(at(place), at(place + 1), at(to + 1));
      const uint32_t first = std::min(place, to) - std::min({place, to, kMovedPlaces});
      const size_t end = std::min<size_t>(order.size(), std::max(place, to) + kMovedPlaces + 1);
      std::fill(is_due.begin() + first, is_due.begin() + static_cast<ptrdiff_t>(end), 1);
    }
    if (!is_changed) break;
  }
  return order;
}

Order with_sure_pairs_kept(const RunSet& set, Runs runs, Order order) {
  const ReadTimes times(set, spread_of(runs, kComparedRuns));
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool is_changed = false;
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t j = i + 1; j < std::min(order.size(), i + 1 + kMovedPlaces); ++j)
        if (times.is_surely_behind(order[i], order[j])) {
          std::swap(order[i], order[j]);
          is_changed = true;
        }
    if (!is_changed) break;
  }
  return order;
}

}  // namespace seekless
