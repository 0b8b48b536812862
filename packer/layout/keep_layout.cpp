// Today's content at the places of a layout.lock.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "packer/layout/pack_items.h"
#include "packer/layout/pack_space.h"
#include "packer/layout/patch_layout.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using format::kPageBytes;
using format::round_up;

// How many extents are looked into for a hole in cells that don't change otherwise.
constexpr size_t kNearExtents = 256;
// What a large asset leaves behind it is worth a block of its own from here on.
constexpr uint64_t kLeastFreeBytes = 64 * 1024;

// Brings the space of one pack from the earlier content to today's.
class SpaceKeeper {
 public:
  SpaceKeeper(PackSpace& space, const std::vector<char>& is_edited)
      : space_(space), items_(space.items()), is_edited_(is_edited) {}

  // `loose` are items that lie nowhere yet.
  void run(std::vector<uint32_t> loose) {
    for (size_t i = 0; i < space_.extents().size(); ++i) {
      Extent& extent = space_.extents()[i];
      leave_large_alone(extent, i);
      if (holds_large(extent) && is_edited_[extent.held.front().item] != 0) resize(i);
    }
    arrange_cells();
    find_changed_cells();
    std::ranges::stable_sort(homeless_, std::greater<>(),
                             [this](const Homeless& one) { return items_[one.item].size_bytes; });
    for (const Homeless& one : homeless_) settle(one.item, one.from);
    for (const uint32_t item : loose) settle(item, home_of(item));
    trim_end();
    space_.drop_free();
  }

 private:
  struct Homeless {
    uint32_t item = 0;
    size_t from = 0;  // an extent
  };

  // An extent of one asset alone that is longer than a cell.
  bool holds_large(const Extent& extent) const {
    return extent.held.size() == 1 && extent.held.front().offset_bytes == 0 &&
           extent.size_bytes > space_.cell_bytes();
  }

  // Places of another making let others share the last block of a large asset. Before anything
  // changes there, they move out.
  void leave_large_alone(Extent& extent, size_t index) {
    const bool is_touched =
        extent.is_changed || std::ranges::any_of(extent.held, [this](const HeldItem& held) {
          return is_edited_[held.item] != 0;
        });
    if (extent.size_bytes <= space_.block_bytes() || !is_touched) return;
    while (extent.held.size() > 1) take_out(extent, index, extent.held.end() - 1);
  }

  // Gives a large asset pages as it needs: those behind it that are free, then whole MiB.
  void resize(size_t index) {
    std::vector<Extent>& extents = space_.extents();
    extents[index].is_changed = true;
    const uint64_t needed =
        round_up(items_[extents[index].held.front().item].size_bytes, kPageBytes);
    size_t end = index + 1;
    for (; extents[index].size_bytes < needed && end < extents.size() && extents[end].held.empty();
         ++end)
      extents[index].size_bytes += extents[end].size_bytes;
    const auto at = extents.begin() + static_cast<std::ptrdiff_t>(index);
    extents.erase(at + 1, at + static_cast<std::ptrdiff_t>(end - index));
    if (extents[index].size_bytes < needed)
      extents[index].size_bytes += round_up(needed - extents[index].size_bytes, kGridBytes);
    const uint64_t left = extents[index].size_bytes - needed;
    if (left < kLeastFreeBytes) return;
    extents[index].size_bytes = needed;
    space_.insert_free(index + 1, space_.begins()[index] + needed, left);
  }

  void arrange_cells() {
    for (size_t i = 0; i < space_.extents().size(); ++i) {
      Extent& extent = space_.extents()[i];
      const bool is_touched = std::ranges::any_of(
          extent.held, [this](const HeldItem& held) { return is_edited_[held.item] != 0; });
      if (!is_touched || (extent.held.size() == 1 && fits_alone(extent))) {
        extent.is_changed = extent.is_changed || is_touched;
        continue;
      }
      extent.is_changed = true;
      while (!push(extent) && !compact(extent)) evict(extent, i);
    }
  }

  bool fits_alone(const Extent& extent) const {
    const HeldItem& held = extent.held.front();
    return items_[held.item].size_bytes <= extent.size_bytes - held.offset_bytes &&
           held.offset_bytes % items_[held.item].alignment_bytes == 0;
  }

  // Each item where it lies, or as little further back as it takes.
  bool push(Extent& extent) const {
    std::vector<HeldItem> held = extent.held;
    uint64_t end = 0;
    for (HeldItem& one : held) {
      one.offset_bytes =
          round_up(std::max(one.offset_bytes, end), items_[one.item].alignment_bytes);
      end = one.offset_bytes + items_[one.item].size_bytes;
    }
    if (end > extent.size_bytes) return false;
    extent.held = std::move(held);
    return true;
  }

  // All as far in front as they can.
  bool compact(Extent& extent) const {
    uint64_t end = 0;
    std::vector<HeldItem> held = extent.held;
    for (HeldItem& one : held) {
      one.offset_bytes = round_up(end, items_[one.item].alignment_bytes);
      end = one.offset_bytes + items_[one.item].size_bytes;
    }
    if (end > extent.size_bytes) return false;
    extent.held = std::move(held);
    return true;
  }

  // Takes out the smallest item that makes enough room, or the largest if none does; one that is
  // too large for the extent alone before all others.
  void evict(Extent& extent, size_t index) {
    const auto too_large = std::ranges::find_if(extent.held, [&](const HeldItem& held) {
      return items_[held.item].size_bytes > extent.size_bytes;
    });
    if (too_large != extent.held.end()) return take_out(extent, index, too_large);
    uint64_t bytes = 0;
    for (const HeldItem& held : extent.held)
      bytes = round_up(bytes, items_[held.item].alignment_bytes) + items_[held.item].size_bytes;
    const uint64_t over = bytes - std::min(bytes, extent.size_bytes);
    auto chosen = extent.held.begin();
    for (auto held = extent.held.begin(); held != extent.held.end(); ++held) {
      const uint64_t size = items_[held->item].size_bytes;
      const uint64_t best = items_[chosen->item].size_bytes;
      const bool is_better = best < over ? size > best : size >= over && size < best;
      if (is_better) chosen = held;
    }
    take_out(extent, index, chosen);
  }

  void take_out(Extent& extent, size_t index, std::vector<HeldItem>::iterator held) {
    homeless_.push_back({held->item, index});
    extent.held.erase(held);
  }

  // Cells in which anything changes: more changes there cost nothing under the grid.
  void find_changed_cells() {
    begins_ = space_.begins();
    changed_cells_.clear();
    for (size_t i = 0; i < space_.extents().size(); ++i)
      if (space_.extents()[i].is_changed)
        for (uint64_t cell = begins_[i] / kGridBytes; cell <= (begins_[i + 1] - 1) / kGridBytes;
             ++cell)
          changed_cells_.insert(cell);
    changed_.clear();
    for (size_t i = 0; i < space_.extents().size(); ++i)
      if (is_changed_cell(begins_[i] / kGridBytes)) changed_.push_back(i);
  }

  // The tables change whatever else does.
  bool is_changed_cell(uint64_t cell) const {
    return cell <= (space_.data_offset_bytes() - 1) / kGridBytes || changed_cells_.contains(cell);
  }

  // Where those with the same readers end, for what comes new.
  size_t home_of(uint32_t item) const {
    const std::vector<Extent>& extents = space_.extents();
    for (size_t i = extents.size(); i > 0; --i)
      if (space_.readers(extents[i - 1]) == items_[item].readers) return i - 1;
    return extents.empty() ? 0 : extents.size() - 1;
  }

  void settle(uint32_t item, size_t from) {
    if (items_[item].size_bytes > space_.cell_bytes()) return settle_large(item, from);
    if (settle_among(item, from, changed_, SIZE_MAX)) return;
    std::vector<size_t> near;
    const size_t end = std::min(space_.extents().size(), from + kNearExtents);
    for (size_t i = from < kNearExtents ? 0 : from - kNearExtents; i < end; ++i) near.push_back(i);
    if (settle_among(item, from, near, kNearExtents)) {
      find_changed_cells();
      return;
    }
    settle_behind(item);
  }

  // The nearest of these extents (rising) with a hole that the item fits into, and with the same
  // readers or none.
  bool settle_among(uint32_t item, size_t from, const std::vector<size_t>& among, size_t most) {
    auto up = std::ranges::lower_bound(among, from);
    auto down = up;
    const auto distance = [&](size_t index) { return index > from ? index - from : from - index; };
    while (up != among.end() || down != among.begin()) {
      const bool take_up =
          down == among.begin() || (up != among.end() && distance(*up) <= distance(*(down - 1)));
      const size_t index = take_up ? *up++ : *--down;
      if (distance(index) > most) return false;
      Extent& extent = space_.extents()[index];
      const auto readers = space_.readers(extent);
      if ((readers && *readers != items_[item].readers) || holds_large(extent)) continue;
      const auto hole = space_.find_hole(extent, begins_[index], item);
      if (!hole) continue;
      PackSpace::hold(extent, item, hole->offset_bytes);
      return true;
    }
    return false;
  }

  // Into its own extent in front of the next cell, which is pushed back by whole MiB.
  void settle_large(uint32_t item, size_t from) {
    size_t index = std::min(from + 1, space_.extents().size());
    while (index < space_.extents().size() && begins_[index] % kGridBytes != 0) ++index;
    const uint64_t size = round_up(items_[item].size_bytes, kPageBytes);
    Extent extent = {.size_bytes = size, .held = {{item, 0}}, .is_changed = true};
    if (index < space_.extents().size())
      space_.insert_free(index, begins_[index] + size, round_up(size, kGridBytes) - size);
    space_.extents().insert(space_.extents().begin() + static_cast<std::ptrdiff_t>(index),
                            std::move(extent));
    for (Homeless& one : homeless_)
      if (one.from >= index) one.from = std::min(one.from + 1, space_.extents().size() - 1);
    find_changed_cells();
  }

  // Behind everything: in the rest of the last cell, or in a new one.
  void settle_behind(uint32_t item) {
    for (;;) {
      const uint64_t end = space_.begins().back();
      const size_t index = space_.extents().size();
      space_.insert_free(index, end, space_.line_behind(end) - end);
      if (const auto hole = space_.find_hole(space_.extents()[index], end, item)) {
        PackSpace::hold(space_.extents()[index], item, hole->offset_bytes);
        break;
      }
    }
    find_changed_cells();
  }

  // The last extent with something in it ends behind that.
  void trim_end() {
    std::vector<Extent>& extents = space_.extents();
    while (!extents.empty() && extents.back().held.empty()) extents.pop_back();
    if (extents.empty() || !extents.back().is_changed) return;
    const HeldItem& last = extents.back().held.back();
    extents.back().size_bytes =
        round_up(last.offset_bytes + items_[last.item].size_bytes, kPageBytes);
  }

  PackSpace& space_;
  const std::vector<SpaceItem>& items_;
  const std::vector<char>& is_edited_;
  std::vector<Homeless> homeless_;
  // As of the latest find_changed_cells():
  std::vector<uint64_t> begins_;
  std::set<uint64_t> changed_cells_;
  std::vector<size_t> changed_;  // extents in them
};

class LayoutKeeper {
 public:
  LayoutKeeper(const LayoutLock& lock, const HashedContent& hashed,
               std::span<const AssetRules> rules)
      : lock_(lock), hashed_(hashed), rules_(rules) {}

  Kept run() {
    Layout& layout = kept_.layout;
    layout.block_bytes = lock_.block_bytes;
    layout.fold_case = lock_.fold_case;
    layout.read_through_bytes = lock_.read_through_bytes;
    layout.paths = hashed_.content().paths;
    layout.sources = hashed_.content().sources;
    layout.scenarios = lock_.scenarios;
    layout.scenario_sets = lock_.scenario_sets;
    is_locked_.resize(hashed_.content().assets.size(), 0);
    for (const LockedPack& pack : lock_.packs) add_locked(pack);
    add_new();
    for (size_t i = 0; i < layout.packs.size(); ++i) keep_pack(layout.packs[i], i);
    std::erase_if(layout.packs, [](const LaidPack& pack) { return pack.assets.empty(); });
    for (std::vector<std::string>* paths : {&kept_.added, &kept_.removed, &kept_.changed}) {
      std::ranges::sort(*paths);
      const auto twice = std::ranges::unique(*paths);
      paths->erase(twice.begin(), twice.end());
    }
    kept_.padding = padding_of(layout);
    kept_.is_relayout_due = kept_.padding.share() > kMostPaddingShare;
    return std::move(kept_);
  }

 private:
  bool is_excluded(uint32_t asset) const { return !rules_.empty() && rules_[asset].excluded; }

  LaidAsset laid(uint32_t asset, uint32_t scenario_set, uint32_t alignment_bytes) const {
    const Asset& from = hashed_.content().assets[asset];
    LaidAsset laid;
    laid.path = from.path;
    laid.size_bytes = from.place.size_bytes;
    laid.source = from.place.source;
    laid.entry = from.place.entry;
    laid.crc32 = from.place.crc32;
    laid.scenario_set = scenario_set;
    laid.alignment_bytes = rules_.empty() ? alignment_bytes : rules_[asset].alignment_bytes;
    return laid;
  }

  void add_locked(const LockedPack& locked) {
    LaidPack& pack = kept_.layout.packs.emplace_back(LaidPack{locked.name, locked.kind, {}});
    std::vector<const LockedAsset*>& earlier = earlier_.emplace_back();
    for (const LockedAsset& asset : locked.assets) {
      const uint32_t number = hashed_.find(asset.path);
      if (number == HashedContent::kNone || is_excluded(number)) {
        kept_.removed.emplace_back(asset.path);
        continue;
      }
      if (hashed_.hash(number) != asset.hash) kept_.changed.emplace_back(asset.path);
      is_locked_[number] = 1;
      pack.assets.push_back(laid(number, asset.scenario_set, asset.alignment_bytes));
      earlier.push_back(&asset);
    }
  }

  // Where an asset goes that no recording has read: the pack it is pinned to, or the cold one.
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

  // The scenario set of what none reads.
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
    space.vacate(start.vacated_blocks);
    if (start.has_changes()) SpaceKeeper(space, start.is_edited).run(start.loose);
    // What is put in to make room can add blocks, though hardly any.
    for (int i = 0; i < 2; ++i)
      space.reserve_tables(table_room_bytes(pack.assets.size(), items.path_bytes,
                                            space.to_places().block_raw_bytes.size()));
    note_moves(pack, items, before, extent_places(space), start, space.to_places());
    lay(pack, items, space);
  }

  // How a pack's items lay before.
  struct Start {
    std::vector<std::optional<PlaceInPack>> places;  // by item
    std::vector<uint64_t> sizes_bytes;               // by item, then
    std::vector<char> is_edited;                     // by item
    std::vector<uint32_t> loose;                     // items that lay nowhere
    std::vector<uint32_t> vacated_blocks;            // where something lay that is gone

    bool has_changes() const {
      return !loose.empty() || !vacated_blocks.empty() || std::ranges::count(is_edited, 1) > 0;
    }
  };

  Start find_start(const LaidPack& pack, const LockedPack& locked, const PackItems& items,
                   const std::vector<const LockedAsset*>& earlier) const {
    Start start;
    start.places.resize(items.items.size());
    start.sizes_bytes.resize(items.items.size());
    start.is_edited.resize(items.items.size(), 0);
    std::set<PlaceInPack> taken;
    const auto take = [&](size_t asset, bool edited) {
      const uint32_t item = items.of_asset[asset];
      const LockedAsset& from = *earlier[asset];
      if (item == kNoItem || start.places[item] || from.size_bytes == 0) return;
      if (!taken.insert(from.place).second) return;
      start.places[item] = from.place;
      start.sizes_bytes[item] = from.size_bytes;
      const bool is_aligned = from.place.offset_bytes % items.items[item].alignment_bytes == 0;
      start.is_edited[item] = edited || !is_aligned ? 1 : 0;
    };
    const auto is_same = [&](size_t asset) {
      return pack.assets[asset].size_bytes == earlier[asset]->size_bytes &&
             hashed_.hash_of(pack.assets[asset].path) == earlier[asset]->hash;
    };
    // Content that is there already keeps its place, before any other takes it.
    for (size_t i = 0; i < earlier.size(); ++i)
      if (earlier[i] != nullptr && is_same(i)) take(i, false);
    for (size_t i = 0; i < earlier.size(); ++i)
      if (earlier[i] != nullptr && !is_same(i)) take(i, true);
    for (uint32_t item = 0; item < items.items.size(); ++item)
      if (!start.places[item]) start.loose.push_back(item);
    for (const LockedAsset& asset : locked.assets)
      if (asset.size_bytes > 0 && !taken.contains(asset.place))
        for (uint64_t i = 0; i == 0 || i * lock_.block_bytes < asset.size_bytes; ++i)
          start.vacated_blocks.push_back(asset.place.block + static_cast<uint32_t>(i));
    return start;
  }

  // Where an item lies in the extents of the earlier build; those may be elsewhere as wholes.
  struct ExtentPlace {
    uint32_t extent = kNewExtent;
    uint64_t offset_bytes = 0;

    bool operator==(const ExtentPlace&) const = default;
  };

  // By item.
  static std::vector<ExtentPlace> extent_places(const PackSpace& space) {
    std::vector<ExtentPlace> places(space.items().size());
    for (const Extent& extent : space.extents())
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
  Kept kept_;
  std::vector<std::vector<const LockedAsset*>> earlier_;  // by pack and asset; null: new
  std::vector<char> is_locked_;                           // by asset of the content
};

}  // namespace

Kept keep_layout(const LayoutLock& lock, const HashedContent& hashed,
                 std::span<const AssetRules> rules) {
  return LayoutKeeper(lock, hashed, rules).run();
}

}  // namespace seekless
