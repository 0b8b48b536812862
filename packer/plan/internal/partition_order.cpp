#include "packer/plan/internal/partition_order.h"

#include <algorithm>
#include <cmath>

namespace seekless {
namespace {

constexpr uint32_t kPartitionedRuns = 10;
constexpr uint64_t kStretchBytes = 4'000'000;
constexpr uint32_t kSmallestPart = 8;  // one read brings about this many assets
constexpr int kMostPasses = 8;

// Maps each asset to the stretches of the runs that read it.
class Stretches {
 public:
  Stretches(const RunSet& set, Runs runs) : begins_(set.asset_count() + 1) {
    for (const uint32_t run : runs)
      for (const uint32_t asset : set.run(run)) ++begins_[asset + 1];
    for (size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    stretches_.resize(begins_.back());
    std::vector<uint32_t> ends(begins_.begin(), begins_.end() - 1);
    for (const uint32_t run : runs) {
      uint64_t bytes = 0;
      for (const uint32_t asset : set.run(run)) {
        stretches_[ends[asset]++] = count_ + static_cast<uint32_t>(bytes / kStretchBytes);
        bytes += std::min(set.sizes_bytes()[asset], kStretchBytes);
      }
      count_ += static_cast<uint32_t>(bytes / kStretchBytes) + 1;
    }
  }

  uint32_t count() const { return count_; }
  std::span<const uint32_t> of(uint32_t asset) const {
    return std::span(stretches_).subspan(begins_[asset], begins_[asset + 1] - begins_[asset]);
  }

 private:
  std::vector<uint32_t> begins_;  // indexed by asset
  std::vector<uint32_t> stretches_;
  uint32_t count_ = 0;
};

class Bisection {
 public:
  explicit Bisection(const Stretches& stretches)
      : stretches_(stretches), left_(stretches.count()), right_(stretches.count()) {
    for (uint32_t i = 1; i < kLogs; ++i) logs_[i] = std::log2(static_cast<float>(i));
  }

  // Halves parts until they are small. Needs no recursion, and handles large parts first.
  void split(std::span<uint32_t> assets) {
    std::vector<std::span<uint32_t>> parts = {assets};
    while (!parts.empty()) {
      const std::span<uint32_t> part = parts.back();
      parts.pop_back();
      if (part.size() <= kSmallestPart) continue;
      halve(part);
      parts.push_back(part.first(part.size() / 2));
      parts.push_back(part.subspan(part.size() / 2));
    }
  }

 private:
  static constexpr uint32_t kLogs = 4096;
  struct Gain {
    float gain;
    uint32_t place;
  };

  void halve(std::span<uint32_t> part) {
    const size_t middle = part.size() / 2;
    original_.assign(part.begin(), part.end());
    count(part.first(middle), left_, 1);
    count(part.subspan(middle), right_, 1);
    for (int pass = 0; pass < kMostPasses && exchange(part, middle); ++pass) {
    }
    count(part.first(middle), left_, -1);
    count(part.subspan(middle), right_, -1);
    keep_sequence(part, middle);
  }

  void count(std::span<const uint32_t> assets, std::vector<int32_t>& counts, int32_t by) {
    for (const uint32_t asset : assets)
      for (const uint32_t stretch : stretches_.of(asset)) counts[stretch] += by;
  }

  // Swaps pairs of assets between the halves, as long as that brings stretches together.
  bool exchange(std::span<uint32_t> part, size_t middle) {
    gather_gains(part, 0, middle, left_, right_, leaving_left_);
    gather_gains(part, middle, part.size(), right_, left_, leaving_right_);
    bool is_changed = false;
    for (size_t i = 0; i < std::min(leaving_left_.size(), leaving_right_.size()); ++i) {
      if (leaving_left_[i].gain + leaving_right_[i].gain <= 1e-3F) break;
      uint32_t& from_left = part[leaving_left_[i].place];
      uint32_t& from_right = part[leaving_right_[i].place];
      move(from_left, left_, right_);
      move(from_right, right_, left_);
      std::swap(from_left, from_right);
      is_changed = true;
    }
    return is_changed;
  }

  void gather_gains(std::span<const uint32_t> part, size_t begin, size_t end,
                    const std::vector<int32_t>& here, const std::vector<int32_t>& there,
                    std::vector<Gain>& gains) const {
    gains.clear();
    for (size_t place = begin; place < end; ++place) {
      float gain = 0;
      for (const uint32_t stretch : stretches_.of(part[place]))
        gain += cost(here[stretch], there[stretch]) - cost(here[stretch] - 1, there[stretch] + 1);
      gains.push_back({gain, static_cast<uint32_t>(place)});
    }
    std::ranges::stable_sort(gains, std::greater<>(), &Gain::gain);
  }

  // The cost is lower if the reads of a stretch concentrate on one side.
  float cost(int32_t here, int32_t there) const {
    return -weighted_log(here) - weighted_log(there);
  }
  float weighted_log(int32_t n) const {
    const auto i = static_cast<uint32_t>(n) + 1;
    return static_cast<float>(n) * (i < kLogs ? logs_[i] : std::log2(static_cast<float>(i)));
  }

  void move(uint32_t asset, std::vector<int32_t>& from, std::vector<int32_t>& to) {
    for (const uint32_t stretch : stretches_.of(asset)) {
      --from[stretch];
      ++to[stretch];
    }
  }

  // Restores the original order within each half.
  void keep_sequence(std::span<uint32_t> part, size_t middle) {
    std::vector<uint32_t> left(part.begin(), part.begin() + static_cast<ptrdiff_t>(middle));
    std::ranges::sort(left);
    std::ranges::stable_partition(
        original_, [&](uint32_t asset) { return std::ranges::binary_search(left, asset); });
    std::ranges::copy(original_, part.begin());
  }

  const Stretches& stretches_;
  // Indexed by stretch: how many of its assets are in that half.
  std::vector<int32_t> left_, right_;
  std::vector<float> logs_ = std::vector<float>(kLogs);
  std::vector<uint32_t> original_;
  std::vector<Gain> leaving_left_, leaving_right_;
};

}  // namespace

Order partition_order(const RunSet& set, Runs runs, const Order& start) {
  const std::vector<uint32_t> some = spread_of(runs, kPartitionedRuns);
  const Stretches stretches(set, some);
  Order order = start;
  const auto others = std::ranges::stable_partition(
      order, [&](uint32_t asset) { return !stretches.of(asset).empty(); });
  Bisection(stretches).split({order.begin(), others.begin()});
  return order;
}

}  // namespace seekless
