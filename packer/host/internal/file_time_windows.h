// Converts file times between Windows' form, tenths of a microsecond since 1601, and nanoseconds
// since 1970.
#pragma once

#include <cstdint>

#include <windows.h>

namespace seekless {

inline int64_t ns_since_1970(int64_t windows_time) {
  constexpr int64_t k1970 = 116'444'736'000'000'000;
  constexpr int64_t kNsPerTick = 100;
  return (windows_time - k1970) * kNsPerTick;
}

inline int64_t ns_since_1970(const FILETIME& time) {
  const uint64_t ticks = uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
  return ns_since_1970(static_cast<int64_t>(ticks));
}

}  // namespace seekless
