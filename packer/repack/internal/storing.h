// Which deflated entries that recordings read are stored in new archives, so that the engine
// needn't inflate them, though the disk has to deliver more. One rule, for what writes archives and
// for what predicts how long they take to read.
#pragma once

#include <cstdint>
#include <limits>

namespace seekless {

// Those that deflating makes shorter by little: to this share of their content or more.
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
