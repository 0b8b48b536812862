#include "runtime/read_asset.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "runtime/xxh3.h"

namespace seekless::runtime {
namespace {

// Reads `into` from a compressed pack or across blocks that must be decoded.
Result<void> read_decoded(const Pack& pack, const format::Asset& asset, uint64_t offset_bytes,
                          std::span<std::byte> into) {
  TableMemory buffer(pack.header().block_bytes, pack.memory());
  TableMemory scratch(pack.header().block_bytes, pack.memory());
  uint64_t at = offset_in_block(asset) + offset_bytes;
  while (!into.empty()) {
    const auto block = asset.block + static_cast<uint32_t>(at / pack.header().block_bytes);
    const auto raw = pack.read_block(block, buffer.bytes(), scratch.bytes());
    if (!raw) return std::unexpected(raw.error());
    const uint64_t start = at % pack.header().block_bytes;
    const auto part = raw->subspan(start, std::min<uint64_t>(raw->size() - start, into.size()));
    std::ranges::copy(part, into.begin());
    into = into.subspan(part.size());
    at += part.size();
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
  return damaged(asset.pack->file().name() + ": asset '" + name_of(asset) + "' in block " +
                     std::to_string(block) + " at byte " + std::to_string(offset) +
                     ": expected content of its hash, found other bytes",
                 offset);
}

}  // namespace

std::string name_of(const PlacedAsset& asset) {
  const auto path = asset.pack->path(asset.index);
  return path ? *path : "#" + std::to_string(asset.index);
}

Result<void> check_content(const PlacedAsset& asset, std::span<const std::byte> content) {
  const auto expected = asset.pack->content_hash(asset.index);
  if (!expected) return std::unexpected(expected.error());
  return compare(asset, *expected, content);
}

Result<void> read_asset(const PlacedAsset& asset, uint64_t offset_bytes,
                        std::span<std::byte> into) {
  const format::Asset& record = asset.record();
  const Pack& pack = *asset.pack;
  if (into.empty()) return {};
  // The hashes lie in front of the data, so they are fetched first.
  const bool is_whole = into.size() == record.size_bytes;
  const auto expected = is_whole ? pack.content_hash(asset.index) : format::ContentHash{};
  if (!expected) return std::unexpected(expected.error());
  // Uncompressed, an asset's bytes lie in one piece, over full blocks too.
  const auto read = pack.has_compressed_blocks()
                        ? read_decoded(pack, record, offset_bytes, into)
                        : pack.file().read_at(pack.blocks()[record.block].offset_bytes +
                                                  offset_in_block(record) + offset_bytes,
                                              into);
  if (!read) return read;
  if (is_whole) return compare(asset, *expected, into);
  return {};
}

}  // namespace seekless::runtime
