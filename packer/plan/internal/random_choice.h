// Makes random choices that are the same on all platforms, which the standard library's
// distributions aren't. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace seekless {

class RandomChoice {
 public:
  explicit RandomChoice(uint64_t seed) : state_(seed) {}

  // Returns a random number below `end`, which must be above 0.
  uint64_t below(uint64_t end) { return next() % end; }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  // Computes SplitMix64 (Steele, Lea and Flood 2014).
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace seekless
