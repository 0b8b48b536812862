// Keeps the places of a layout.lock for today's content.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "packer/base/each_once.h"
#include "packer/keep/internal/keep_space.h"
#include "packer/keep/internal/pack_items.h"
#include "packer/keep/pack_space.h"
#include "packer/keep/patch_layout.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using format::kPageBytes;
using format::round_up;

class LayoutKeeper {
 public:
  LayoutKeeper(const LayoutLock& lock, const HashedContent& hashed,
               std::span<const AssetRules> rules)
      : lock_(lock), hashed_(hashed), rules_(rules) {}

  LockedAssets run() {
    Layout& layout = kept_.layout;
    layout.block_bytes = lock_.block_bytes;
    layout.fold_case = lock_.fold_case;
    layout.read_through_bytes = lock_.read_through_bytes;
    layout.paths = hashed_.content().paths;
    layout.scenarios = lock_.scenarios;
    layout.scenario_sets = lock_.scenario_sets;
    is_locked_.resize(hashed_.content().assets.size(), 0);
    for (const LockedPack& pack : lock_.packs) add_locked(pack);
    add_new();
    for (size_t i = 0; i < layout.packs.size(); ++i) keep_pack(layout.packs[i], i);
    std::erase_if(layout.packs, [](const LaidPack& pack) { return pack.assets.empty(); });
    for (std::vector<std::string>* paths : {&kept_.added, &kept_.removed, &kept_.changed}) {
      keep_each_once(*paths);
    }
    kept_.padding = padding_of(layout);
    kept_.is_relayout_due = kept_.padding.share() > kMostPaddingShare;
    return std::move(kept_);
  }

 private:
  bool is_excluded(uint32_t asset) const { return !rules_.empty() && rules_[asset].excluded; }

  LaidAsset laid(uint32_t asset, uint32_t scenario_set, uint32_t alignment_bytes) const {
    return lay_asset(hashed_.content().assets[asset], scenario_set,
                     rules_.empty() ? alignment_bytes : rules_[asset].alignment_bytes);
  }

  void add_locked(const LockedPack& locked) {
    LaidPack& pack = kept_.layout.packs.emplace_back(LaidPack{locked.name, locked.kind, {}});
    std::vector<const LockedAsset*>& earlier = earlier_.emplace_back();
    for (const LockedAsset& asset : locked.assets) {
      const uint32_t number = hashed_.find(asset.path);
      if (number == kNone || is_excluded(number)) {
        kept_.removed.emplace_back(asset.path);
        continue;
      }
      if (hashed_.hash(number) != asset.hash) kept_.changed.emplace_back(asset.path);
      is_locked_[number] = 1;
      pack.assets.push_back(laid(number, asset.scenario_set, asset.alignment_bytes));
      earlier.push_back(&asset);
    }
  }

  // Returns the pack for an asset that no recording has read: the one it is pinned to, or the cold
  // one.
  size_t pack_for_new(uint32_t asset) {
    std::vector<LaidPack>& packs = kept_.layout.packs;
    if (!rules_.empty() && !rules_[asset].pack.empty()) {
      const auto pinned = std::ranges::find(packs, rules_[asset].pack, &LaidPack::name);
      if (pinned != packs.end()) return static_cast<size_t>(pinned - packs.begin());
    }
    const auto cold = std::ranges::find(packs, PackKind::cold, &LaidPack::kind);
    if (cold != packs.end()) return static_cast<size_t>(cold - packs.begin());
    std::string name = "cold";
    for (int number = 2; std::ranges::find(packs, name, &LaidPack::name) != packs.end(); ++number)
      name = "cold-" + std::to_string(number);
    packs.push_back(LaidPack{name, PackKind::cold, {}});
    earlier_.emplace_back();
    return packs.size() - 1;
  }

  void add_new() {
    for (uint32_t asset = 0; asset < is_locked_.size(); ++asset) {
      if (is_locked_[asset] != 0 || is_excluded(asset)) continue;
      const size_t pack = pack_for_new(asset);
      kept_.layout.packs[pack].assets.push_back(laid(asset, no_readers(), kDefaultAlignmentBytes));
      earlier_[pack].push_back(nullptr);
      kept_.added.emplace_back(hashed_.content().assets[asset].path);
    }
  }

  // Returns the scenario set of assets that no scenario reads.
  uint32_t no_readers() {
    std::vector<std::vector<uint32_t>>& sets = kept_.layout.scenario_sets;
    const auto found = std::ranges::find(sets, std::vector<uint32_t>());
    if (found != sets.end()) return static_cast<uint32_t>(found - sets.begin());
    sets.emplace_back();
    return static_cast<uint32_t>(sets.size() - 1);
  }

  void keep_pack(LaidPack& pack, size_t number) {
    if (pack.assets.empty()) return;
    if (number >= lock_.packs.size()) return place_fresh(pack, hashed_, lock_.block_bytes);
    const LockedPack& locked = lock_.packs[number];
    const PackItems items = find_items(pack, hashed_);
    const Start start = find_start(pack, locked, items, earlier_[number]);
    PackSpace space(items.items, lock_.block_bytes, locked.data_offset_bytes);
    space.restore(locked.block_raw_bytes, start.places, start.sizes_bytes);
    const std::vector<ExtentPlace> before = extent_places(space);
    if (start.has_changes()) {
      const PatchPrice price(space, start.sizes_bytes, start.is_edited);
      space.vacate(start.vacated_blocks);
      keep_space(space, price, start.is_edited, start.loose);
    }
    // Space inserted to make room can add blocks, though rarely; so this runs twice.
    for (int i = 0; i < 2; ++i)
      space.reserve_tables(table_room_bytes(pack.assets.size(), items.path_bytes,
                                            space.to_places().block_raw_bytes.size()));
    note_moves(pack, items, before, extent_places(space), start, space.to_places());
    lay(pack, items, space);
  }

  // Tells how a pack's items lay before.
  struct Start {
    std::vector<std::optional<PlaceInPack>> places;  // indexed by item
    std::vector<uint64_t> sizes_bytes;               // indexed by item: its size at that time
    std::vector<char> is_edited;                     // indexed by item
    std::vector<uint32_t> loose;                     // items without an earlier place
    std::vector<uint32_t> vacated_blocks;            // blocks that held assets which are gone

    bool has_changes() const {
      return !loose.empty() || !vacated_blocks.empty() || std::ranges::count(is_edited, 1) > 0;
    }
  };

  // Numbers the places of the lock's assets. Assets of equal content share a place.
  static std::vector<uint32_t> number_places(const LockedPack& locked) {
    const auto place_of = [&](uint32_t asset) { return locked.assets[asset].place; };
    std::vector<uint32_t> by_place(locked.assets.size());
    std::iota(by_place.begin(), by_place.end(), 0U);
    std::ranges::sort(by_place, {}, place_of);
    std::vector<uint32_t> numbers(by_place.size());
    for (size_t i = 1; i < by_place.size(); ++i) {
      const bool is_other = place_of(by_place[i]) != place_of(by_place[i - 1]);
      numbers[by_place[i]] = numbers[by_place[i - 1]] + (is_other ? 1 : 0);
    }
    return numbers;
  }

  Start find_start(const LaidPack& pack, const LockedPack& locked, const PackItems& items,
                   const std::vector<const LockedAsset*>& earlier) const {
    Start start;
    start.places.resize(items.items.size());
    start.sizes_bytes.resize(items.items.size());
    start.is_edited.resize(items.items.size(), 0);
    const std::vector<uint32_t> numbers = number_places(locked);
    std::vector<bool> taken(locked.assets.size());  // indexed by place number
    const auto number_of = [&](const LockedAsset& asset) {
      return numbers[static_cast<size_t>(&asset - locked.assets.data())];
    };
    const auto take = [&](size_t asset, bool edited) {
      const uint32_t item = items.of_asset[asset];
      const LockedAsset& from = *earlier[asset];
      if (item == kNoItem || start.places[item] || from.size_bytes == 0) return;
      if (taken[number_of(from)]) return;
      taken[number_of(from)] = true;
      start.places[item] = from.place;
      start.sizes_bytes[item] = from.size_bytes;
      const bool is_aligned = from.place.offset_bytes % items.items[item].alignment_bytes == 0;
      start.is_edited[item] = edited || !is_aligned ? 1 : 0;
    };
    const auto is_same = [&](size_t asset) {
      return pack.assets[asset].size_bytes == earlier[asset]->size_bytes &&
             hashed_.hash_of(pack.assets[asset].path) == earlier[asset]->hash;
    };
    // Content that is there already keeps its place before anything else may take it.
    for (size_t i = 0; i < earlier.size(); ++i)
      if (earlier[i] != nullptr && is_same(i)) take(i, false);
    for (size_t i = 0; i < earlier.size(); ++i)
      if (earlier[i] != nullptr && !is_same(i)) take(i, true);
    for (uint32_t item = 0; item < items.items.size(); ++item)
      if (!start.places[item]) start.loose.push_back(item);
    for (const LockedAsset& asset : locked.assets)
      if (asset.size_bytes > 0 && !taken[number_of(asset)])
        for (uint64_t i = 0; i == 0 || i * lock_.block_bytes < asset.size_bytes; ++i)
          start.vacated_blocks.push_back(asset.place.block + static_cast<uint32_t>(i));
    return start;
  }

  // Tells where an item lies in the extents of the earlier build. Extents may move as a whole.
  struct ExtentPlace {
    uint32_t extent = kNewExtent;
    uint64_t offset_bytes = 0;

    bool operator==(const ExtentPlace&) const = default;
  };

  // Returns the place of each item.
  static std::vector<ExtentPlace> extent_places(const PackSpace& space) {
    std::vector<ExtentPlace> places(space.items().size());
    for (const PackExtent& extent : space.extents())
      for (const HeldItem& held : extent.held)
        places[held.item] = {extent.number, held.offset_bytes};
    return places;
  }

  void note_moves(const LaidPack& pack, const PackItems& items,
                  const std::vector<ExtentPlace>& before, const std::vector<ExtentPlace>& after,
                  const Start& start, const LaidPlaces& now) {
    for (size_t i = 0; i < pack.assets.size(); ++i) {
      const uint32_t item = items.of_asset[i];
      if (item == kNoItem || !start.places[item] || before[item] == after[item]) continue;
      kept_.moved.push_back(
          {pack.name, std::string(pack.assets[i].path), *start.places[item], now.assets[item]});
    }
  }

  const LayoutLock& lock_;
  const HashedContent& hashed_;
  const std::span<const AssetRules> rules_;
  LockedAssets kept_;
  std::vector<std::vector<const LockedAsset*>> earlier_;  // indexed by pack and asset; null if new
  std::vector<char> is_locked_;                           // indexed by asset of the content
};

}  // namespace

LockedAssets keep_layout(const LayoutLock& lock, const HashedContent& hashed,
                         std::span<const AssetRules> rules) {
  return LayoutKeeper(lock, hashed, rules).run();
}

}  // namespace seekless
