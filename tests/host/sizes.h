// Names for sizes that tests use.
#pragma once

#include <cstdint>

namespace seekless {

inline constexpr uint64_t kKiB = 1024;
inline constexpr uint64_t kMiB = 1024 * kKiB;
inline constexpr uint64_t kGB = 1'000'000'000;

}  // namespace seekless
