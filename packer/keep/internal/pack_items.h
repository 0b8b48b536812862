// Turns the assets of a pack into items of its space; equal content is one item. Placing a fresh
// layout and keeping a locked one both use it. Pure.
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
  std::vector<uint32_t> of_asset;  // kNoItem for empty assets
  uint64_t path_bytes = 0;
};

// Items are in the order of the pack.
PackItems find_items(const LaidPack& pack, const HashedContent& hashed);

// Places the assets of a pack without places so that changes to them move little.
void place_fresh(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes);

// Places the assets of a pack without places one right after another, in their order. It is for
// packs that are replaced as a whole, or stay unchanged.
void place_tight(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes);

// Gives the pack these places, indexed by asset, and sorts its assets by them.
void lay(LaidPack& pack, const LaidPlaces& placed);

// Gives the pack the places of `space`, and sorts its assets by them.
void lay(LaidPack& pack, const PackItems& items, const PackSpace& space);

}  // namespace seekless
