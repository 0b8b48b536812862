// Decides which deflated entries that recordings read are stored in new archives. The engine then
// needn't inflate them, but the disk must deliver more bytes. The writing of archives and the
// forecast of their reading time share this rule.
#pragma once

#include <cstdint>
#include <limits>

namespace seekless {

// Stores entries whose deflated size is at least this share of their content.
struct Storing {
  double from_share = 0;

  bool is_for(uint64_t size_bytes, uint64_t stored_bytes) const {
    return static_cast<double>(stored_bytes) >= from_share * static_cast<double>(size_bytes);
  }
  bool operator==(const Storing&) const = default;
};

inline constexpr Storing kStoreAll = {0};
inline constexpr Storing kStoreNone = {std::numeric_limits<double>::infinity()};

}  // namespace seekless
