// Places in a pack for its assets: equal content has one. Pure.
#pragma once

#include <cstdint>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"

namespace seekless {

// Gives a pack that has none places one right after the other, in its order: for packs that are
// replaced as wholes, or stay.
void place_tight(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes);

// Gives the pack these places, by asset, and its assets the order that follows from them alone.
void lay(LaidPack& pack, const LaidPlaces& placed);

// Room for header and tables of so many assets with so many bytes of paths in so many blocks, at
// most: a multiple of a page.
uint64_t table_room_bytes(uint64_t assets, uint64_t path_bytes, uint64_t blocks);

}  // namespace seekless
