#include "packer/layout/placement.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "runtime/pack_format.h"

namespace seekless {
namespace {

class BlockPlacer {
 public:
  explicit BlockPlacer(uint32_t block_bytes) : block_bytes_(block_bytes) {}

  AssetPlace place(const AssetToPlace& asset) {
    const bool is_of_others = asset.readers != readers_;
    if (fill_bytes_ >= kLeastBlockBytes && (is_of_others || is_mixed_)) close();
    is_mixed_ = fill_bytes_ > 0 && (is_of_others || is_mixed_);
    readers_ = asset.readers;
    if (asset.size_bytes > block_bytes_) return place_large(asset.size_bytes);
    uint64_t start = format::round_up(fill_bytes_, asset.alignment_bytes);
    if (start + asset.size_bytes > block_bytes_) {
      close();
      start = 0;
    }
    fill_bytes_ = start + asset.size_bytes;
    return {static_cast<uint32_t>(blocks_.size()), static_cast<uint32_t>(start)};
  }

  std::vector<PlacedBlock> finish() {
    close();
    return std::move(blocks_);
  }

 private:
  AssetPlace place_large(uint64_t size_bytes) {
    close();
    const AssetPlace place = {static_cast<uint32_t>(blocks_.size()), 0};
    for (; size_bytes >= block_bytes_; size_bytes -= block_bytes_)
      blocks_.push_back({block_bytes_, 0});
    fill_bytes_ = size_bytes;
    return place;
  }

  void close() {
    if (fill_bytes_ > 0) blocks_.push_back({static_cast<uint32_t>(fill_bytes_), 0});
    fill_bytes_ = 0;
  }

  uint32_t block_bytes_;
  uint32_t readers_ = 0;     // readers of the latest asset
  uint64_t fill_bytes_ = 0;  // used bytes of the block that isn't in blocks_ yet
  bool is_mixed_ = false;    // that block has assets with different readers
  std::vector<PlacedBlock> blocks_;
};

// Sorts the assets by place, and finds the first one of each block. `size_of(asset)` returns bytes.
template <typename SizeOf>
void find_order(Placement& placement, SizeOf size_of) {
  placement.order.resize(placement.places.size());
  std::iota(placement.order.begin(), placement.order.end(), 0U);
  std::ranges::stable_sort(placement.order, {}, [&](uint32_t asset) {
    // Empty assets come first, so that nothing lies between equal ones.
    const AssetPlace& place = placement.places[asset];
    return std::tuple(place.block, place.offset_bytes, size_of(asset) > 0);
  });
  size_t at = 0;
  for (size_t block = 0; block < placement.blocks.size(); ++block) {
    while (at < placement.order.size() && placement.places[placement.order[at]].block < block) ++at;
    placement.blocks[block].first = static_cast<uint32_t>(at);
  }
}

}  // namespace

Placement place_assets(std::span<const AssetToPlace> assets, uint32_t block_bytes) {
  Placement placement;
  placement.places.resize(assets.size());
  BlockPlacer placer(block_bytes);
  for (size_t i = 0; i < assets.size(); ++i) {
    if (assets[i].size_bytes == 0) continue;
    placement.places[i] =
        assets[i].same_as != i ? placement.places[assets[i].same_as] : placer.place(assets[i]);
  }
  placement.blocks = placer.finish();
  find_order(placement, [&](uint32_t asset) { return assets[asset].size_bytes; });
  return placement;
}

Placement explicit_placement(const LaidPack& pack) {
  Placement placement;
  placement.places = pack.places->assets;
  for (const uint32_t raw_bytes : pack.places->block_raw_bytes)
    placement.blocks.push_back({raw_bytes, 0});
  find_order(placement, [&](uint32_t asset) { return pack.assets[asset].size_bytes; });
  return placement;
}

}  // namespace seekless
