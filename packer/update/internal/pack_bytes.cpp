#include "packer/update/internal/pack_bytes.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>

#include "packer/base/hasher.h"
#include "packer/keep/pack_items.h"

namespace seekless {
namespace {

using format::kPageBytes;
using format::round_up;

// Describes an asset in a pack, without the hash of its content.
struct AssetRow {
  std::string_view path;
  uint64_t size_bytes = 0;
  PlaceInPack place;
  uint32_t alignment_bytes = 0;
};

// Builds the bytes of a pack with this many assets. `row_of(i)` and `hash_of(i)` are called for
// each of them, because a list of a million would be large.
template <typename RowOf, typename HashOf>
PackBytes bytes_of(uint64_t data_offset_bytes, std::span<const uint32_t> block_raw_bytes,
                   size_t assets, RowOf row_of, HashOf hash_of) {
  Hasher128 tables;
  Hasher128 names;
  std::vector<uint64_t> block_begins = {data_offset_bytes};
  block_begins.reserve(block_raw_bytes.size() + 1);
  for (const uint32_t raw_bytes : block_raw_bytes) {
    block_begins.push_back(block_begins.back() + round_up(raw_bytes, kPageBytes));
    add_value(tables, raw_bytes);
  }
  std::vector<uint32_t> order(assets);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t i) {
    const AssetRow row = row_of(i);
    return std::tuple(row.place, row.size_bytes > 0, row.path);
  });
  PackBytes bytes = {.data_offset_bytes = data_offset_bytes,
                     .end_bytes = block_begins.back(),
                     .numbers_bytes = table_room_bytes(assets, 0, block_raw_bytes.size())};
  bytes.pieces.reserve(assets);
  for (const uint32_t i : order) {
    const AssetRow row = row_of(i);
    const format::ContentHash& hash = hash_of(i);
    add_text(tables, row.path);
    add_text(names, row.path);
    add_value(tables, row.size_bytes);
    add_value(tables, row.place);
    add_value(tables, row.alignment_bytes);
    add_value(tables, hash);
    const uint64_t begin = block_begins[row.place.block] + row.place.offset_bytes;
    if (row.size_bytes > 0 && (bytes.pieces.empty() || bytes.pieces.back().begin != begin))
      bytes.pieces.push_back({begin, row.size_bytes, hash});
  }
  bytes.tables = tables.digest();
  bytes.names = names.digest();
  return bytes;
}

}  // namespace

PackBytes bytes_of(const LockedPack& pack) {
  const auto asset_of = [&](uint32_t i) -> const LockedAsset& {
    return i < pack.assets.size() ? pack.assets[i] : pack.dead[i - pack.assets.size()];
  };
  const auto row_of = [&](uint32_t i) {
    const LockedAsset& asset = asset_of(i);
    return AssetRow{asset.path, asset.size_bytes, asset.place, asset.alignment_bytes};
  };
  const auto hash_of = [&](uint32_t i) -> const format::ContentHash& { return asset_of(i).hash; };
  return bytes_of(pack.data_offset_bytes, pack.block_raw_bytes,
                  pack.assets.size() + pack.dead.size(), row_of, hash_of);
}

PackBytes bytes_of(const LaidPack& pack, const HashedContent& hashed) {
  const auto row_of = [&](uint32_t i) {
    const LaidAsset& asset = pack.assets[i];
    return AssetRow{asset.path, asset.size_bytes, pack.places->assets[i], asset.alignment_bytes};
  };
  const auto hash_of = [&](uint32_t i) -> const format::ContentHash& {
    return hashed.hash_of(pack.assets[i].path);
  };
  return bytes_of(pack.places->data_offset_bytes, pack.places->block_raw_bytes, pack.assets.size(),
                  row_of, hash_of);
}

}  // namespace seekless
