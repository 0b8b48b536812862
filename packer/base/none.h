// Defines the value of an index that points to nothing.
#pragma once

#include <cstdint>

namespace seekless {

inline constexpr uint32_t kNone = UINT32_MAX;

}  // namespace seekless
