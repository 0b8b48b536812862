// Sums that stop at their greatest value: what a trace says may be absurd, but not undefined.
#pragma once

#include <cstdint>
#include <limits>

namespace seekless {

inline void add_to(uint64_t& sum, uint64_t number) {
  const uint64_t room = std::numeric_limits<uint64_t>::max() - sum;
  sum = number > room ? std::numeric_limits<uint64_t>::max() : sum + number;
}

}  // namespace seekless
