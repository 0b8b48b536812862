// Adds numbers without overflow: sums stop at their maximum. A trace may contain absurd figures,
// but they must not cause undefined behaviour.
#pragma once

#include <cstdint>
#include <limits>

namespace seekless {

inline void add_to(uint64_t& sum, uint64_t number) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - sum;
  sum = number > room ? std::numeric_limits<uint64_t>::max() : sum + number;
}

}  // namespace seekless
