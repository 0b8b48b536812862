// Defines the index that stands for nothing, in tables of indexes.
#pragma once

#include <cstdint>

namespace seekless {

inline constexpr uint32_t kNone = UINT32_MAX;

}  // namespace seekless
