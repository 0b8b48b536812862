#include "packer/keep/internal/pack_items.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "packer/layout/placement.h"

namespace seekless {

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

PackItems find_items(const LaidPack& pack, const HashedContent& hashed) {
  PackItems found;
  const std::vector<uint32_t> equal = find_equal(pack, hashed);
  found.of_asset.reserve(pack.assets.size());
  found.items.reserve(pack.assets.size());
  for (uint32_t i = 0; i < pack.assets.size(); ++i) {
    const LaidAsset& asset = pack.assets[i];
    found.path_bytes += asset.path.size();
    if (asset.size_bytes == 0) {
      found.of_asset.push_back(kNoItem);
    } else if (equal[i] == i) {
      found.of_asset.push_back(static_cast<uint32_t>(found.items.size()));
      found.items.push_back({asset.size_bytes, asset.alignment_bytes, asset.scenario_set});
    } else {
      const uint32_t item = found.of_asset[equal[i]];
      found.of_asset.push_back(item);
      found.items[item].alignment_bytes =
          std::max(found.items[item].alignment_bytes, asset.alignment_bytes);
    }
  }
  return found;
}

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

void lay(LaidPack& pack, const PackItems& items, const PackSpace& space) {
  LaidPlaces placed = space.to_places();
  std::vector<PlaceInPack> by_asset;
  by_asset.reserve(items.of_asset.size());
  for (const uint32_t item : items.of_asset)
    by_asset.push_back(item == kNoItem ? PlaceInPack() : placed.assets[item]);
  placed.assets = std::move(by_asset);
  lay(pack, placed);
}

void place_tight(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes) {
  const PackItems items = find_items(pack, hashed);
  std::vector<uint32_t> first_of(items.items.size(), kNoItem);  // indexed by item: its first asset
  std::vector<AssetToPlace> to_place;
  to_place.reserve(pack.assets.size());
  for (uint32_t i = 0; i < pack.assets.size(); ++i) {
    const LaidAsset& asset = pack.assets[i];
    const uint32_t item = items.of_asset[i];
    AssetToPlace& one = to_place.emplace_back(
        AssetToPlace{asset.size_bytes, asset.alignment_bytes, i, asset.scenario_set});
    if (item == kNoItem) continue;
    if (first_of[item] == kNoItem) first_of[item] = i;
    one.same_as = first_of[item];
    one.alignment_bytes = items.items[item].alignment_bytes;
  }
  const Placement placement = place_assets(to_place, block_bytes);
  LaidPlaces places = {
      table_room_bytes(pack.assets.size(), items.path_bytes, placement.blocks.size()),
      {},
      placement.places};
  for (const PlacedBlock& block : placement.blocks)
    places.block_raw_bytes.push_back(block.raw_bytes);
  lay(pack, places);
}

}  // namespace seekless
