// Plans a pack before its first block is filled: which assets are equal, where each lies, and how
// long the tables are. Builds the tables once the blocks are known. The pack writer and virtual
// packs share this code.
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
  std::vector<uint32_t> same_as;  // for each asset, the first one with equal content
  Placement placement;            // indexed like LaidPack::assets
  Names names;
  uint64_t data_offset_bytes = 0;  // offset of the first block in the file
};

// Chooses one seed for the whole set, so that a path is hashed only once for all packs.
Result<uint64_t> choose_hash_seed(const Layout& layout);

// Reads content only if assets seem to be equal, or are larger than a block. `threads` is 1 or
// more. A compressed pack gets room for its frames, even beyond what the layout reserves for
// tables. Fails if content can't be read, or doesn't fit the format.
Result<PackPlan> plan_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                           format::Codec codec, size_t threads);

// Returns how many frames the blocks have if they are compressed.
uint32_t frame_count(const Placement& placement);

// Returns the blocks one after the other, uncompressed, without checksums.
std::vector<format::Block> raw_blocks(const PackPlan& plan);
// Returns the end of the last block.
uint64_t end_of(const PackPlan& plan, std::span<const format::Block> blocks);

// Builds header and tables; the caller seals them. `hashes` are the contents' hashes, in the order
// of the layout.
Result<TableFile> build_tables(const Layout& layout, const LaidPack& pack, const PackPlan& plan,
                               std::span<const format::Block> blocks,
                               std::span<const format::Frame> frames,
                               std::span<const format::ContentHash> hashes, uint64_t file_bytes,
                               uint64_t hash_seed);

}  // namespace seekless
