// What rearranging a pack costs in content-defined chunks: every place where two pieces meet that
// didn't before takes some of both along. Places are kept by it. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/keep/pack_space.h"

namespace seekless {

// What new chunks reach on average into what is known, in front of a change and after it: chunks
// after one find the earlier cuts again only after some. Measured with chunks of 8 KiB.
inline constexpr uint64_t kReachBeforeBytes = 6 * 1024;
inline constexpr uint64_t kReachBehindBytes = 11 * 1024;
inline constexpr uint64_t kLeastReachBytes = 3 * 1024;
// After zeros they find them sooner, as the chunk that holds the zeros is long already.
inline uint64_t reach_behind(uint64_t zero_bytes) {
  return std::max(kLeastReachBytes, kReachBehindBytes - std::min(kReachBehindBytes, zero_bytes));
}
// Zeros are cut at the longest chunk, and all such chunks are one.
inline constexpr uint64_t kMostZeroBytes = 64 * 1024;

class PatchPrice {
 public:
  // `space` as it was restored; `sizes_bytes` and `is_edited` are by item and outlive this.
  PatchPrice(const PackSpace& space, std::span<const uint64_t> sizes_bytes,
             const std::vector<char>& is_edited);

  // Bytes of chunks that are new for how the extent's items lie; without what was edited.
  uint64_t bytes(const PackExtent& extent) const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // What lay there before.
  struct Joint {
    uint32_t extent = kNewExtent;
    uint32_t left = kNone;  // an item; none: the extent begins
    uint64_t gap_bytes = 0;

    bool operator==(const Joint&) const = default;
  };
  bool is_known(const Joint& joint, uint32_t right) const;

  const std::vector<SpaceItem>& items_;
  const std::vector<char>& is_edited_;
  std::vector<Joint> before_;  // by item: in front of it
  std::vector<Joint> ends_;    // by extent
};

}  // namespace seekless
