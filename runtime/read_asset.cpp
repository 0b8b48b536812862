#include "runtime/read_asset.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/xxh3.h"

namespace seekless::runtime {
namespace {

// Memory for a block. It comes from the budget if that has room.
class BlockMemory {
 public:
  // Throws std::bad_alloc.
  BlockMemory(const Pack& pack, DecodedBlocks* decoded) {
    const size_t size_bytes = pack.header().block_bytes;
    if (decoded != nullptr) pooled_.reset(decoded->pool().acquire(size_bytes));
    if (pooled_ == nullptr) own_ = TableMemory(size_bytes, pack.memory());
  }
  std::span<std::byte> bytes() const {
    return pooled_ != nullptr ? pooled_->bytes() : own_.bytes();
  }
  Buffer take() { return std::move(pooled_); }

 private:
  Buffer pooled_;
  TableMemory own_;
};

// A part of one block.
struct BlockPart {
  const Pack& pack;
  uint32_t block;
  uint64_t start_bytes;
  std::span<std::byte> into;

  uint64_t end_bytes() const { return start_bytes + into.size(); }
  const format::Block& record() const { return pack.blocks()[block]; }
};

Result<void> decode_part(const BlockPart& part, DecodedBlocks* decoded) {
  const auto copy = [&](std::span<const std::byte> raw) {
    if (decoded != nullptr) add(decoded->copied_bytes, part.into.size());
    std::ranges::copy(raw.subspan(part.start_bytes, part.into.size()), part.into.begin());
  };
  bool was_short = false;
  if (decoded != nullptr)
    if (const Buffer held =
            decoded->find(part.pack.id(), part.block, part.end_bytes(), was_short)) {
      copy(held->bytes());
      return {};
    }
  const BlockMemory scratch(part.pack, decoded);
  // Decodes straight into the caller's memory if the whole block is wanted.
  if (part.into.size() == part.record().raw_bytes && part.record().codec == format::Codec::lz4) {
    const auto read = part.pack.read_block(part.block, part.into, scratch.bytes());
    return read ? Result<void>() : std::unexpected(read.error());
  }
  BlockMemory memory(part.pack, decoded);
  // Bytes after the part are decoded only when the block is asked for a second time.
  const auto raw =
      part.pack.read_block(part.block, memory.bytes(), scratch.bytes(),
                           was_short ? UINT32_MAX : static_cast<uint32_t>(part.end_bytes()));
  if (!raw) return std::unexpected(raw.error());
  copy(*raw);
  if (Buffer pooled = memory.take())
    decoded->keep(part.pack.id(), part.block, raw->size(), std::move(pooled));
  return {};
}

// Fills `into` from a pack whose blocks must be decoded.
Result<void> read_decoded(const Pack& pack, const format::Asset& asset, uint64_t offset_bytes,
                          std::span<std::byte> into, DecodedBlocks* decoded) {
  const uint64_t block_bytes = pack.header().block_bytes;
  uint64_t at = offset_in_block(asset) + offset_bytes;
  while (!into.empty()) {
    const auto block = asset.block + static_cast<uint32_t>(at / block_bytes);
    const uint64_t start = at % block_bytes;
    const uint64_t length = std::min<uint64_t>(pack.blocks()[block].raw_bytes - start, into.size());
    if (auto read = decode_part({pack, block, start, into.first(length)}, decoded); !read)
      return read;
    into = into.subspan(length);
    at += length;
  }
  return {};
}

Result<void> compare(const PlacedAsset& asset, const format::ContentHash& expected,
                     std::span<const std::byte> content) {
  XXH128_canonical_t found;
  XXH128_canonicalFromHash(&found, widest_xxh3_128(content.data(), content.size()));
  if (std::memcmp(found.digest, expected.data(), expected.size()) == 0) return {};
  const uint32_t block = asset.record().block;
  const uint64_t offset = asset.pack->blocks()[block].offset_bytes;
  return damaged({asset.pack->file().name(), ": asset '", name_of(asset), "' in block ", block,
                  " at byte ", offset, ": expected content of its hash, found other bytes"},
                 offset);
}

}  // namespace

std::string name_of(const PlacedAsset& asset) {
  const auto path = asset.pack->path(asset.index);
  return path ? *path : join({"#", asset.index});
}

Result<void> check_content(const PlacedAsset& asset, std::span<const std::byte> content) {
  const auto expected = asset.pack->content_hash(asset.index);
  if (!expected) return std::unexpected(expected.error());
  return compare(asset, *expected, content);
}

Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes, std::span<std::byte> into,
                        DecodedBlocks* decoded) {
  const format::Asset& record = asset.record();
  const Pack& pack = *asset.pack;
  if (into.empty()) return {};
  // The hashes lie before the data, so they are fetched first.
  const bool is_whole = into.size() == record.size_bytes;
  const auto expected = is_whole ? pack.content_hash(asset.index) : format::ContentHash{};
  if (!expected) return std::unexpected(expected.error());
  // In an uncompressed pack an asset's bytes lie in one piece, even across blocks.
  const auto read = pack.has_compressed_blocks()
                        ? read_decoded(pack, record, offset_bytes, into, decoded)
                        : pack.file().read_at(pack.blocks()[record.block].offset_bytes +
                                                  offset_in_block(record) + offset_bytes,
                                              into);
  if (!read) return read;
  if (is_whole) return compare(asset, *expected, into);
  return {};
}

}  // namespace seekless::runtime
