#include "packer/keep/pack_items.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "packer/layout/placement.h"
#include "runtime/pack_format.h"

namespace seekless {

using format::kPageBytes;
using format::round_up;

namespace {

// Maps each asset to the first one in the pack with the same content, which may be itself.
std::vector<uint32_t> find_equal(const LaidPack& pack, const HashedContent& hashed) {
  std::vector<uint32_t> first(pack.assets.size());
  std::iota(first.begin(), first.end(), 0U);
  std::vector<uint32_t> content(pack.assets.size());
  for (uint32_t i = 0; i < content.size(); ++i) content[i] = hashed.find(pack.assets[i].path);
  std::vector<uint32_t> by_hash = first;
  std::ranges::sort(by_hash, [&](uint32_t a, uint32_t b) {
    const format::ContentHash& hash_a = hashed.hash(content[a]);
    const format::ContentHash& hash_b = hashed.hash(content[b]);
    return hash_a == hash_b ? a < b : hash_a < hash_b;
  });
  for (size_t i = 1; i < by_hash.size(); ++i)
    if (hashed.hash(content[by_hash[i]]) == hashed.hash(content[by_hash[i - 1]]))
      first[by_hash[i]] = first[by_hash[i - 1]];
  return first;
}

// Reorders the assets in place, cycle by cycle, because a copy of a million assets takes 50 MB.
void permute(std::vector<LaidAsset>& assets, std::vector<uint32_t> order) {
  for (uint32_t begin = 0; begin < order.size(); ++begin) {
    const LaidAsset first = assets[begin];
    uint32_t at = begin;
    for (uint32_t next = order[at]; next != begin; next = order[at]) {
      assets[at] = assets[next];
      order[at] = at;
      at = next;
    }
    assets[at] = first;
    order[at] = at;
  }
}

}  // namespace

void lay(LaidPack& pack, const LaidPlaces& placed) {
  std::vector<uint32_t> order(pack.assets.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t asset) {
    return std::tuple(placed.assets[asset], pack.assets[asset].size_bytes > 0,
                      std::string_view(pack.assets[asset].path));
  });
  LaidPlaces places = {placed.data_offset_bytes, placed.block_raw_bytes, {}};
  places.assets.reserve(order.size());
  for (const uint32_t asset : order) places.assets.push_back(placed.assets[asset]);
  pack.places = std::move(places);
  permute(pack.assets, std::move(order));
}

void place_tight(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes) {
  const std::vector<uint32_t> equal = find_equal(pack, hashed);
  std::vector<AssetToPlace> to_place;
  to_place.reserve(pack.assets.size());
  uint64_t path_bytes = 0;
  for (uint32_t i = 0; i < pack.assets.size(); ++i) {
    const LaidAsset& asset = pack.assets[i];
    path_bytes += asset.path.size();
    to_place.push_back({asset.size_bytes, asset.alignment_bytes, i, asset.scenario_set});
    if (asset.size_bytes == 0) continue;
    to_place[i].same_as = equal[i];
    uint32_t& strictest = to_place[equal[i]].alignment_bytes;
    strictest = std::max(strictest, asset.alignment_bytes);
  }
  for (AssetToPlace& one : to_place)
    if (one.size_bytes > 0) one.alignment_bytes = to_place[one.same_as].alignment_bytes;
  const Placement placement = place_assets(to_place, block_bytes);
  LaidPlaces places = {table_room_bytes(pack.assets.size(), path_bytes, placement.blocks.size()),
                       {},
                       placement.places};
  for (const PlacedBlock& block : placement.blocks)
    places.block_raw_bytes.push_back(block.raw_bytes);
  lay(pack, places);
}

uint64_t table_room_bytes(uint64_t assets, uint64_t path_bytes, uint64_t blocks) {
  const auto section = [](uint64_t bytes) {
    return round_up(bytes, format::kSectionAlignmentBytes);
  };
  const uint64_t chunks = (assets + format::kNamesPerChunk - 1) / format::kNamesPerChunk;
  // Names are compressed only if that makes them shorter.
  const uint64_t names = sizeof(format::NamesHeader) + chunks * sizeof(format::NameChunk) +
                         path_bytes + assets * sizeof(uint16_t);
  return round_up(sizeof(format::Header) + section(blocks * sizeof(format::Block)) +
                      section((assets + assets / 3 + 1) * sizeof(format::Slot)) +
                      section(assets * sizeof(format::Asset)) +
                      section(assets * sizeof(format::ContentHash)) + section(names),
                  kPageBytes);
}

}  // namespace seekless
