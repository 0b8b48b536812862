// Computes where each asset lies in its pack, from sizes, alignments and order alone. Pure.
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
  uint32_t readers = 0;          // number of the set of scenarios that read the asset
};

// A block of at least this size ends where the readers change, and so does one that has assets with
// different readers. So a sweep reads hardly any bytes that it doesn't need, and the padding of
// pages stays below 4 % on average.
inline constexpr uint64_t kLeastBlockBytes = 64 * 1024;

struct PlacedBlock {
  uint32_t raw_bytes = 0;
  uint32_t first = 0;  // index in Placement::order of the block's first asset
};

using AssetPlace = PlaceInPack;

struct Placement {
  std::vector<AssetPlace> places;  // indexed by asset
  // Assets sorted by place. If places are equal, empty assets come first, and then the given order
  // decides.
  std::vector<uint32_t> order;
  std::vector<PlacedBlock> blocks;
};

// Lays the assets out in order. An asset that fits into a block never crosses into the next: a
// block ends where the next asset wouldn't fit, or has other readers. So blocks differ in length,
// and leave no holes except the rest of a 4096-byte page. A larger asset starts a block, fills as
// many as it needs, and shares the last one with the next assets. Equal content gets one place;
// empty assets get the first place.
Placement place_assets(std::span<const AssetToPlace> assets, uint32_t block_bytes);

// Returns the placement that a layout has decided. The places of `pack` must pass check_layout.
Placement explicit_placement(const LaidPack& pack);

}  // namespace seekless
