// What is known of a pack before its first block is filled: which assets are one, where each lies,
// how long its tables are; and the tables themselves once the blocks are known. The pack writer and
// virtual packs share it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packer/content/asset_reader.h"
#include "packer/layout/layout.h"
#include "packer/layout/placement.h"
#include "packer/pack/internal/tables.h"
#include "runtime/pack_format.h"

namespace seekless {

inline AssetRef ref_of(const LaidAsset& asset) {
  return {asset.path, asset.source, asset.entry, asset.size_bytes, asset.crc32};
}

struct PackPlan {
  std::vector<uint32_t> same_as;  // of each asset the first one with equal content
  Placement placement;            // by the index in LaidPack::assets
  Names names;
  uint64_t data_offset_bytes = 0;  // of the first block in the file
};

// One seed for the whole set, so that a path is hashed once to be found in any of its packs.
Result<uint64_t> choose_hash_seed(const Layout& layout);

// Reads content only where it looks as if assets were equal, or larger than a block. `threads` is 1
// or more. Errors: what reading it gives, and what doesn't fit the format.
Result<PackPlan> plan_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                           size_t threads);

// The blocks as they lie one after the other, uncompressed; no checksums yet.
std::vector<format::Block> raw_blocks(const PackPlan& plan);
// Where the last block ends.
uint64_t end_of(const PackPlan& plan, std::span<const format::Block> blocks);

// Header and tables, to be sealed. `hashes` are the contents', as laid out.
Result<TableFile> build_tables(const Layout& layout, const LaidPack& pack, const PackPlan& plan,
                               std::span<const format::Block> blocks,
                               std::span<const format::ContentHash> hashes, uint64_t file_bytes,
                               uint64_t hash_seed);

}  // namespace seekless
