// Prices rearrangements of a pack in content-defined chunks: wherever two pieces meet that didn't
// meet before, a new chunk takes parts of both along. Keeping places uses these prices. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/base/none.h"
#include "packer/keep/pack_space.h"

namespace seekless {

// The average length by which new chunks reach into known data in front of a change and behind it.
// Behind it, the chunker finds the earlier cuts again only after a while. Measured with chunks of 8
// KiB.
inline constexpr uint64_t kReachBeforeBytes = 6 * 1024;
inline constexpr uint64_t kReachBehindBytes = 11 * 1024;
inline constexpr uint64_t kLeastReachBytes = 3 * 1024;
// After zeros it finds the cuts sooner, because the chunk that holds the zeros is long already.
inline uint64_t reach_behind(uint64_t zero_bytes) {
  return std::max(kLeastReachBytes, kReachBehindBytes - std::min(kReachBehindBytes, zero_bytes));
}
// Zeros are cut at the longest chunk, and all such chunks are equal.
inline constexpr uint64_t kMostZeroBytes = 64 * 1024;

class PatchPrice {
 public:
  // `space` must be in its restored state. `sizes_bytes` and `is_edited` are indexed by item and
  // must outlive this.
  PatchPrice(const PackSpace& space, std::span<const uint64_t> sizes_bytes,
             const std::vector<char>& is_edited);

  // Returns the bytes of chunks that are new because of how the extent's items lie, edits aside.
  uint64_t bytes(const PackExtent& extent) const;

 private:
  // Tells what lay in front of an item before.
  struct Joint {
    uint32_t extent = kNewExtent;
    uint32_t left = kNone;  // an item; kNone at the beginning of the extent
    uint64_t gap_bytes = 0;

    bool operator==(const Joint&) const = default;
  };
  bool is_known(const Joint& joint, uint32_t right) const;

  const std::vector<SpaceItem>& items_;
  const std::vector<char>& is_edited_;
  std::vector<Joint> before_;  // indexed by item: the joint in front of it
  std::vector<Joint> ends_;    // indexed by extent
};

}  // namespace seekless
