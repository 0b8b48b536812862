// Tracks which of many items have been joined, directly or through others (disjoint sets).
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace seekless {

class JoinedSets {
 public:
  // Starts with each of the items 0 to `count` - 1 in its own set.
  explicit JoinedSets(uint32_t count) : towards_(count) {
    std::iota(towards_.begin(), towards_.end(), 0U);
  }

  // Returns the item that represents this item's set.
  uint32_t set_of(uint32_t item) {
    while (towards_[item] != item) item = towards_[item] = towards_[towards_[item]];
    return item;
  }
  void join(uint32_t a, uint32_t b) { towards_[set_of(b)] = set_of(a); }

 private:
  // Indexed by item: another item of its set, on the way to the representative.
  std::vector<uint32_t> towards_;
};

}  // namespace seekless
