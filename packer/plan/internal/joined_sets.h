// Which of many items have been joined, directly or by way of others (disjoint sets).
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace seekless {

class JoinedSets {
 public:
  // Each of the items 0 to `count` - 1 is a set of its own.
  explicit JoinedSets(uint32_t count) : towards_(count) {
    std::iota(towards_.begin(), towards_.end(), 0U);
  }

  // The item that stands for the set which holds this one.
  uint32_t set_of(uint32_t item) {
    while (towards_[item] != item) item = towards_[item] = towards_[towards_[item]];
    return item;
  }
  void join(uint32_t a, uint32_t b) { towards_[set_of(b)] = set_of(a); }

 private:
  std::vector<uint32_t> towards_;  // by item: another of its set, up to the one that stands for it
};

}  // namespace seekless
