// Writes one pack: reads each asset once, in the order of the layout, and writes each byte once.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/content/asset_reader.h"
#include "packer/layout/layout.h"
#include "packer/layout/placement.h"
#include "runtime/pack_format.h"

namespace seekless {

struct PackWriteOptions {
  // If empty, a codec is chosen to suit each pack's content.
  std::optional<format::Codec> codec = format::Codec::raw;
  unsigned threads = 1;  // 1 or more; the bytes don't depend on it
  uint64_t hash_seed = 0;
  std::atomic<uint64_t>* done_bytes = nullptr;  // grows with the content written; may be null
  // If true, the pack gets its name only if the content wasn't written to during packing. A caller
  // that writes several packs checks once, at the end.
  bool checks_content = true;
};

struct WrittenPack {
  std::string file_name;
  uint64_t pack_id = 0;  // Header::checksum
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;  // sum of the assets' sizes
  // The part of content_bytes that isn't stored, because it equals other content.
  uint64_t duplicate_bytes = 0;
  uint64_t table_bytes = 0;    // header and tables, padding included
  uint64_t padding_bytes = 0;  // bytes between assets and after blocks
  uint64_t saved_bytes = 0;    // bytes saved by compression
  uint64_t dead_bytes = 0;     // content from an earlier release in a kept file; without padding
  Placement placement;         // indexed like LaidPack::assets
  // The assets' numbers in the file, with the same index, if the file also has other assets.
  // Otherwise the numbers follow the placement's order.
  std::vector<uint32_t> numbers;
  uint32_t file_assets = 0;  // number of assets in the file, if `numbers` is used
  // Offsets in the file, one more than there are blocks, for the end.
  std::vector<uint64_t> block_offsets;
};

// Writes `pack` to `path`, which appears whole or not at all. Needs at most 32 MiB of memory, plus
// two blocks and 8 MiB for each thread, plus about 200 bytes for each asset. Fails if content can't
// be read or the disk is full.
Result<WrittenPack> write_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                               const PackWriteOptions& options, const std::string& path);

}  // namespace seekless
