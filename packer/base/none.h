// For tables of indices: the index of nothing.
#pragma once

#include <cstdint>

namespace seekless {

inline constexpr uint32_t kNone = UINT32_MAX;

}  // namespace seekless
