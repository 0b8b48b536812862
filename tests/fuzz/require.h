// What a fuzzer expects of any input.
#pragma once

#include <cstdlib>

namespace seekless {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace seekless
