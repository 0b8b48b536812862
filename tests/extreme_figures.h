// Figures that nothing real has, but that may harm no page.
#pragma once

#include <cstdint>
#include <limits>

namespace seekless {

inline constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace seekless
