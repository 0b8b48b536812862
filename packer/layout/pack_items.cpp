#include "packer/layout/pack_items.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace seekless {

PackItems find_items(const LaidPack& pack, const HashedContent& hashed) {
  PackItems found;
  found.of_asset.reserve(pack.assets.size());
  std::map<format::ContentHash, uint32_t> by_hash;
  for (uint32_t i = 0; i < pack.assets.size(); ++i) {
    const LaidAsset& asset = pack.assets[i];
    found.path_bytes += asset.path.size();
    if (asset.size_bytes == 0) {
      found.of_asset.push_back(kNoItem);
      continue;
    }
    const auto number = static_cast<uint32_t>(found.items.size());
    const auto [known, is_new] = by_hash.try_emplace(hashed.hash_of(asset.path), number);
    found.of_asset.push_back(known->second);
    if (is_new) {
      found.items.push_back({asset.size_bytes, asset.alignment_bytes, asset.scenario_set});
      found.first_asset.push_back(i);
    } else {
      SpaceItem& item = found.items[known->second];
      item.alignment_bytes = std::max(item.alignment_bytes, asset.alignment_bytes);
    }
  }
  return found;
}

void lay(LaidPack& pack, const PackItems& items, const PackSpace& space) {
  const LaidPlaces placed = space.to_places();
  const auto place_of = [&](uint32_t asset) {
    const uint32_t item = items.of_asset[asset];
    return item == kNoItem ? PlaceInPack() : placed.assets[item];
  };
  std::vector<uint32_t> order(pack.assets.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t asset) {
    return std::tuple(place_of(asset), items.of_asset[asset] != kNoItem,
                      std::string_view(pack.assets[asset].path));
  });
  LaidPlaces places = {placed.data_offset_bytes, placed.block_raw_bytes, {}};
  std::vector<LaidAsset> assets;
  assets.reserve(order.size());
  places.assets.reserve(order.size());
  for (const uint32_t asset : order) {
    places.assets.push_back(place_of(asset));
    assets.push_back(std::move(pack.assets[asset]));
  }
  pack.assets = std::move(assets);
  pack.places = std::move(places);
}

}  // namespace seekless
