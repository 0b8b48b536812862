// Checks of the fuzzers, which must hold for any input.
#pragma once

#include <cstdlib>

namespace seekless {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace seekless
