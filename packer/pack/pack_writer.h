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
  std::optional<format::Codec> codec = format::Codec::raw;  // none: what suits each pack's content
  unsigned threads = 1;  // 1 or more; the bytes don't depend on it
  uint64_t hash_seed = 0;
  std::atomic<uint64_t>* done_bytes = nullptr;  // grows by content written; may be null
  // Whether a pack gets its name only if nobody wrote to the content meanwhile. Who writes several
  // looks once, when all are made.
  bool checks_content = true;
};

struct WrittenPack {
  std::string file_name;
  uint64_t pack_id = 0;  // Header::checksum
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;    // sum of the assets' sizes
  uint64_t duplicate_bytes = 0;  // of them not stored, as equal content is
  uint64_t table_bytes = 0;      // header and tables, padding included
  uint64_t padding_bytes = 0;    // between assets and after blocks
  uint64_t saved_bytes = 0;      // by compression
  uint64_t dead_bytes = 0;       // of an earlier release, in a file that stays; no padding
  Placement placement;           // by the index in LaidPack::assets
  // The assets' numbers in the file, by the same index, where it has others, too; else they are
  // those of the placement's order.
  std::vector<uint32_t> numbers;
  uint32_t file_assets = 0;             // then, how many it has
  std::vector<uint64_t> block_offsets;  // in the file; one more than blocks: the end
};

// Writes `pack` to `path`, which appears whole or not at all. At most 32 MiB and `threads` times
// two blocks and 8 MiB of memory, beside about 200 bytes per asset. Errors: what reading the
// content gives, a full disk.
Result<WrittenPack> write_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                               const PackWriteOptions& options, const std::string& path);

}  // namespace seekless
