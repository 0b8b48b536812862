// Computes places in a pack for its assets; equal content has one place. Pure.
#pragma once

#include <cstdint>

#include "packer/keep/lock.h"
#include "packer/layout/layout.h"

namespace seekless {

// Gives places to a pack without any: one asset right after the other, in the pack's order. This is
// for packs that stay unchanged or are replaced completely.
void place_tight(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes);

// Gives the assets of the pack these places, and sorts them by place.
void lay(LaidPack& pack, const LaidPlaces& placed);

// Returns the maximum size of header and tables for these numbers of assets, path bytes and blocks;
// a multiple of a page.
uint64_t table_room_bytes(uint64_t assets, uint64_t path_bytes, uint64_t blocks);

}  // namespace seekless
