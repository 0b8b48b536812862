// The assets of a pack as items of its space: equal content is one item. Shared by placing a fresh
// layout and keeping a locked one. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/keep/lock.h"
#include "packer/keep/pack_space.h"
#include "packer/layout/layout.h"

namespace seekless {

inline constexpr uint32_t kNoItem = UINT32_MAX;

struct PackItems {
  std::vector<SpaceItem> items;
  std::vector<uint32_t> of_asset;  // kNoItem for empty ones
  uint64_t path_bytes = 0;
};

// In the order of the pack.
PackItems find_items(const LaidPack& pack, const HashedContent& hashed);

// Gives a pack that has none places that change little when its assets do.
void place_fresh(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes);

// Gives a pack that has none places one right after the other, in its order: for packs that are
// replaced as wholes, or stay.
void place_tight(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes);

// Gives the pack these places, by asset, and its assets the order that follows from them alone.
void lay(LaidPack& pack, const LaidPlaces& placed);

// Gives the pack the places of `space`, and its assets the order that follows from them alone.
void lay(LaidPack& pack, const PackItems& items, const PackSpace& space);

}  // namespace seekless
