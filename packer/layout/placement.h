// Where each asset lies in its pack: a pure function of sizes, alignments and order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/layout/layout.h"

namespace seekless {

struct AssetToPlace {
  uint64_t size_bytes = 0;
  uint32_t alignment_bytes = 1;  // a power of two up to 4096
  uint32_t same_as;              // index of an earlier asset with equal content, or its own
  uint32_t readers = 0;          // a number for who reads it
};

// Where the readers change, a block that holds this much ends, as does one that has assets of
// different readers: so a sweep hardly reads what it doesn't need, and what is lost to the rest of
// a page stays below 4 % on average.
inline constexpr uint64_t kLeastBlockBytes = 64 * 1024;

struct PlacedBlock {
  uint32_t raw_bytes = 0;
  uint32_t first = 0;  // index in Placement::order of the first asset that starts here
                       // or later
};

using AssetPlace = PlaceInPack;

struct Placement {
  std::vector<AssetPlace> places;  // by asset
  std::vector<uint32_t> order;     // assets by place; at equal places the empty ones first, then in
                                   // the order given
  std::vector<PlacedBlock> blocks;
};

// Lays the assets out in order. One that is no larger than a block never straddles two: a block
// ends where the next asset wouldn't fit any more, or has other readers, so blocks differ in length
// and leave no holes but the rest of a 4096-byte page. A larger asset starts a block, fills as many
// as it needs, and shares the last with what follows. Equal content gets one place; an empty asset
// the first.
Placement place_assets(std::span<const AssetToPlace> assets, uint32_t block_bytes);

// The placement that a layout has decided on: `pack` has places, which pass check_layout.
Placement explicit_placement(const LaidPack& pack);

}  // namespace seekless
