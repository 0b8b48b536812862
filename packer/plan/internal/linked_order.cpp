#include "packer/plan/internal/linked_order.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "packer/base/none.h"
#include "packer/plan/internal/joined_sets.h"

namespace seekless {
namespace {

constexpr size_t kNearest = 16;  // nearest neighbours of each item that are considered for links

class Linking {
 public:
  Linking(uint32_t count, const DistancesFrom& distances_from)
      : distances_from_(distances_from), links_(count), chains_(count), distances_(count) {}

  std::vector<uint32_t> run() {
    // Each round links at least one pair, the two nearest open ends.
    for (size_t chains = links_.size(); chains > 1;) chains -= link(open_ends());
    return in_a_row();
  }

 private:
  struct Links {
    uint32_t first = kNone;
    uint32_t second = kNone;
  };
  struct Pair {
    double distance;
    uint32_t a;
    uint32_t b;
  };

  bool is_one_chain(uint32_t a, uint32_t b) { return chains_.set_of(a) == chains_.set_of(b); }
  bool is_open(uint32_t item) const { return links_[item].second == kNone; }

  std::vector<uint32_t> open_ends() const {
    std::vector<uint32_t> ends;
    for (uint32_t item = 0; item < links_.size(); ++item)
      if (is_open(item)) ends.push_back(item);
    return ends;
  }

  size_t link(const std::vector<uint32_t>& ends) {
    std::vector<Pair> pairs;
    for (const uint32_t a : ends) {
      distances_from_(a, distances_);
      find_nearest(a, ends);
      pairs.insert(pairs.end(), nearest_.begin(), nearest_.end());
    }
    std::ranges::sort(pairs, is_nearer);
    size_t linked = 0;
    for (const Pair& pair : pairs) {
      if (!is_open(pair.a) || !is_open(pair.b) || is_one_chain(pair.a, pair.b)) continue;
      add(pair.a, pair.b);
      add(pair.b, pair.a);
      chains_.join(pair.a, pair.b);
      ++linked;
    }
    return linked;
  }

  // Finds the nearest ends of other chains, nearest first. Nearly all ends are farther away than
  // the ones found already, so one comparison rejects them.
  void find_nearest(uint32_t a, const std::vector<uint32_t>& ends) {
    nearest_.clear();
    const uint32_t chain = chains_.set_of(a);
    double farthest = std::numeric_limits<double>::infinity();
    for (const uint32_t b : ends) {
      if (distances_[b] > farthest) continue;
      const bool is_full = nearest_.size() == kNearest;
      const Pair pair = {distances_[b], std::min(a, b), std::max(a, b)};
      if ((is_full && !is_nearer(pair, nearest_.back())) || chains_.set_of(b) == chain) continue;
      if (is_full) nearest_.pop_back();
      nearest_.insert(std::ranges::upper_bound(nearest_, pair, is_nearer), pair);
      if (nearest_.size() == kNearest) farthest = nearest_.back().distance;
    }
  }

  static bool is_nearer(const Pair& a, const Pair& b) {
    return std::tie(a.distance, a.a, a.b) < std::tie(b.distance, b.a, b.b);
  }

  void add(uint32_t to, uint32_t neighbour) {
    (links_[to].first == kNone ? links_[to].first : links_[to].second) = neighbour;
  }

  std::vector<uint32_t> in_a_row() const {
    std::vector<uint32_t> row;
    if (links_.empty()) return row;
    uint32_t at = 0;
    while (!is_open(at)) ++at;
    for (uint32_t last = kNone; at != kNone;) {
      row.push_back(at);
      const uint32_t next = links_[at].first == last ? links_[at].second : links_[at].first;
      last = at;
      at = next;
    }
    return row;
  }

  const DistancesFrom& distances_from_;
  std::vector<Links> links_;  // indexed by item
  JoinedSets chains_;
  std::vector<double> distances_;
  std::vector<Pair> nearest_;  // pairs of the item that find_nearest() was called for
};

}  // namespace

std::vector<uint32_t> linked_order(uint32_t count, const DistancesFrom& distances_from) {
  return Linking(count, distances_from).run();
}

}  // namespace seekless
