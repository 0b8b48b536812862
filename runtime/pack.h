// One open pack: its index in memory, its other tables on demand, its blocks by number. The file is
// untrusted; Pack::open returns only a pack with a valid index.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/pack_format.h"
#include "runtime/tables.h"

namespace seekless::runtime {

// An object that is created on first use, without a lock. If several threads need it at once, each
// creates one, and all but one are deleted.
template <typename Thing>
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { delete thing_.load(std::memory_order_acquire); }

  bool is_here() const { return thing_.load(std::memory_order_acquire) != nullptr; }

  // `make` returns a Result<Thing>.
  template <typename Make>
  Result<const Thing*> get(Make make) const {
    if (const Thing* thing = thing_.load(std::memory_order_acquire)) return thing;
    auto made = make();
    if (!made) {
      // If another thread has made one meanwhile, there may be no memory for a second.
      if (const Thing* thing = thing_.load(std::memory_order_acquire)) return thing;
      return std::unexpected(made.error());
    }
    auto fresh = std::make_unique<const Thing>(std::move(*made));
    const Thing* expected = nullptr;
    if (thing_.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel))
      return fresh.release();
    return expected;
  }

 private:
  mutable std::atomic<const Thing*> thing_ = nullptr;
};
using LazyTable = Lazy<TableMemory>;

struct MappedPack;  // in mapped_pack.h

class Pack {
 public:
  static Result<std::unique_ptr<Pack>> open(std::unique_ptr<File> file, const Memory& memory = {});
  ~Pack();
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  const File& file() const { return *file_; }
  const Memory& memory() const { return memory_; }
  // Returns a number that no other pack of this process has or had.
  uint64_t id() const { return id_; }
  const format::Header& header() const { return header_; }
  bool folds_case() const { return (header_.required_flags & format::kFoldCase) != 0; }
  std::span<const format::Block> blocks() const { return blocks_; }
  std::span<const format::Asset> assets() const { return assets_; }
  // Empty unless blocks are compressed.
  std::span<const format::Frame> frames() const { return frames_; }

  // Returns the number of blocks that the asset spans; 0 for an empty one.
  uint32_t block_count(const format::Asset& asset) const;
  // Returns the index of the asset with this path hash, or kEmptySlot.
  uint32_t find(uint64_t path_hash) const;

  // The next four functions read a table on first use.
  Result<std::string> path(uint32_t asset) const;
  Result<format::ContentHash> content_hash(uint32_t asset) const;
  Result<std::span<const format::ContentHash>> content_hashes() const;
  // Returns the paths of the assets from 256 * chunk on, each checked.
  Result<std::vector<std::string>> paths_of_chunk(uint32_t chunk) const;
  uint32_t chunk_count() const;
  // Returns true if content_hash() no longer needs to read its table.
  bool holds_hashes() const { return hashes_.is_here(); }
  // Maps the file on first use. Errors: UNSUPPORTED, OUT_OF_MEMORY, IO.
  Result<const MappedPack*> mapped() const;

  // Reads block `index`, checks it (twice, if it is wrong at first), and decodes it into `into`;
  // returns its raw bytes. `into` must hold at least header().block_bytes and be aligned to a page.
  // The same holds for `scratch`, which is used only for compressed blocks.
  Result<std::span<const std::byte>> read_block(uint32_t index, std::span<std::byte> into,
                                                std::span<std::byte> scratch) const;
  bool has_compressed_blocks() const { return !frames_.empty(); }
  // The next three functions do the same in steps, for callers that read the bytes themselves.
  // is_block checks the block's stored bytes, including padding. wrong_block makes the error if
  // that check fails. decode_block does both, and decodes the bytes of a compressed block into
  // memory of header().block_bytes; it returns the block's raw bytes.
  bool is_block(uint32_t index, std::span<const std::byte> stored) const;
  Error wrong_block(uint32_t index) const;
  Result<std::span<const std::byte>> decode_block(uint32_t index, std::span<const std::byte> stored,
                                                  std::span<std::byte> into) const;

  // The frames of a block; empty in a raw pack.
  std::span<const format::Frame> frames_of(uint32_t block) const;
  // Returns how many raw bytes frame `frame` of the block has.
  uint32_t raw_bytes_of(uint32_t block, uint32_t frame) const;
  // Reads the stored bytes of `count` frames of the block into `into`, from frame `first` on, and
  // checks each (twice, if one is wrong at first).
  Result<void> read_frames(uint32_t block, uint32_t first, uint32_t count,
                           std::span<std::byte> into) const;
  // Decodes the frame's first bytes until `into` is full.
  Result<void> decode_frame(uint32_t block, uint32_t frame, std::span<const std::byte> stored,
                            std::span<std::byte> into) const;
  bool is_frame(const format::Frame& frame, std::span<const std::byte> stored) const;

 private:
  Pack(std::unique_ptr<File> file, const format::Header& header, const Memory& memory);
  static uint64_t next_id();
  Result<void> load_index();
  Result<void> check_blocks() const;
  Result<void> check_frames() const;
  Result<void> check_assets() const;
  Result<const TableMemory*> names() const;

  const uint64_t id_ = next_id();
  std::unique_ptr<File> file_;
  format::Header header_;
  Memory memory_;
  TableMemory index_;
  std::span<const format::Block> blocks_;
  std::span<const format::Slot> slots_;
  std::span<const format::Asset> assets_;
  std::span<const format::Frame> frames_;
  LazyTable hashes_;
  LazyTable names_;
  Lazy<MappedPack> mapped_;
};

inline bool is_compressed(const format::Block& block) {
  return block.stored_bytes < block.raw_bytes;
}
// Includes the padding after the stored bytes.
inline uint64_t stored_extent_bytes(const format::Block& block) {
  return format::round_up(block.stored_bytes, format::kPageBytes);
}
inline uint64_t offset_in_block(const format::Asset& asset) {
  return asset.place & format::kOffsetMask;
}
// Returns where in its file an asset of an uncompressed pack begins. It lies there in one piece,
// even across blocks.
inline uint64_t offset_in_file(const Pack& pack, const format::Asset& asset) {
  if (asset.size_bytes == 0) return 0;
  return pack.blocks()[asset.block].offset_bytes + offset_in_block(asset);
}
inline uint32_t alignment_bytes(const format::Asset& asset) {
  return 1U << ((asset.place >> format::kOffsetBits) & 15U);
}

}  // namespace seekless::runtime
