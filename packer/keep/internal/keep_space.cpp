#include "packer/keep/internal/keep_space.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "packer/keep/internal/pack_items.h"
#include "packer/keep/patch_layout.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using format::kPageBytes;
using format::round_up;

// Up to this many extents away, a hole is searched in cells that otherwise don't change.
constexpr size_t kNearExtents = 256;
// An item up to this far from an edited one may leave to make room for it. Up to kNearChanged
// changed extents on each side are searched. Larger limits find little more.
constexpr size_t kNearEdit = 8;
constexpr std::ptrdiff_t kNearChanged = 32;
// Free space of at least this size after a large asset gets a block of its own.
constexpr uint64_t kLeastFreeBytes = 64 * 1024;

class SpaceKeeper {
 public:
  SpaceKeeper(PackSpace& space, const PatchPrice& price, const std::vector<char>& is_edited)
      : space_(space), items_(space.items()), price_(price), is_edited_(is_edited) {}

  void run(std::span<const uint32_t> loose) {
    for (size_t i = 0; i < space_.extents().size(); ++i) {
      PackExtent& extent = space_.extents()[i];
      leave_large_alone(extent, i);
      if (holds_large(extent) && is_edited_[extent.held.front().item] != 0) resize(i);
    }
    arrange_cells();
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
    size_t from = 0;  // index of an extent
  };

  // Returns true if the extent holds a single asset that is longer than a cell.
  bool holds_large(const PackExtent& extent) const {
    return extent.held.size() == 1 && extent.held.front().offset_bytes == 0 &&
           extent.size_bytes > space_.cell_bytes();
  }

  // Places that weren't made by place_fresh() may let assets share the last block of a large asset.
  // Before anything changes there, those assets move out.
  void leave_large_alone(PackExtent& extent, size_t index) {
    const bool is_touched =
        extent.is_changed || std::ranges::any_of(extent.held, [this](const HeldItem& held) {
          return is_edited_[held.item] != 0;
        });
    if (extent.size_bytes <= space_.block_bytes() || !is_touched) return;
    while (extent.held.size() > 1) take_out(extent, index, extent.held.end() - 1);
  }

  // Gives a large asset the pages it needs: first free ones after it, then those up to the next
  // line, then whole MiB.
  void resize(size_t index) {
    std::vector<PackExtent>& extents = space_.extents();
    extents[index].is_changed = true;
    const uint64_t needed =
        round_up(items_[extents[index].held.front().item].size_bytes, kPageBytes);
    size_t end = index + 1;
    for (; extents[index].size_bytes < needed && end < extents.size() && extents[end].held.empty();
         ++end)
      extents[index].size_bytes += extents[end].size_bytes;
    const auto at = extents.begin() + static_cast<std::ptrdiff_t>(index);
    extents.erase(at + 1, at + static_cast<std::ptrdiff_t>(end - index));
    if (extents[index].size_bytes < needed && !take_from_next(index, needed))
      extents[index].size_bytes += round_up(needed - extents[index].size_bytes, kGridBytes);
    const uint64_t left = extents[index].size_bytes - needed;
    if (left < kLeastFreeBytes) return;
    extents[index].size_bytes = needed;
    space_.insert_free(index + 1, space_.begins()[index] + needed, left);
  }

  // Takes pages from the next extent if it lies in the same cell, which changes anyway. What that
  // extent holds keeps its place in the file as far as possible.
  bool take_from_next(size_t index, uint64_t needed) {
    std::vector<PackExtent>& extents = space_.extents();
    const uint64_t pages = needed - extents[index].size_bytes;
    if (index + 1 == extents.size() || extents[index + 1].size_bytes <= pages) return false;
    PackExtent& next = extents[index + 1];
    if (next.size_bytes > space_.cell_bytes() || space_.begins()[index + 1] % kGridBytes == 0)
      return false;
    extents[index].size_bytes += pages;
    next.size_bytes -= pages;
    next.is_changed = true;
    for (HeldItem& held : next.held) held.offset_bytes -= std::min(held.offset_bytes, pages);
    return true;
  }

  // Rearranges extents whose items no longer fit. Extents that shrank have holes for what must
  // leave those that grew.
  void arrange_cells() {
    std::vector<size_t> full;
    for (size_t i = 0; i < space_.extents().size(); ++i) {
      PackExtent& extent = space_.extents()[i];
      const bool is_touched = std::ranges::any_of(
          extent.held, [this](const HeldItem& held) { return is_edited_[held.item] != 0; });
      extent.is_changed = extent.is_changed || is_touched;
      if (!is_sound(extent)) full.push_back(i);
    }
    find_changed_cells();
    std::ranges::stable_sort(full, std::greater<>(), [this](size_t index) {
      const PackExtent& extent = space_.extents()[index];
      const uint64_t bytes = bytes_of(extent);
      return bytes - std::min(bytes, extent.size_bytes);
    });
    for (const size_t index : full) arrange(index);
  }

  // Returns true if no items overlap, all are aligned, and they fit into the extent.
  bool is_sound(const PackExtent& extent) const {
    uint64_t end = 0;
    for (const HeldItem& held : extent.held) {
      if (held.offset_bytes < end || held.offset_bytes % items_[held.item].alignment_bytes != 0)
        return false;
      end = held.offset_bytes + items_[held.item].size_bytes;
    }
    return end <= extent.size_bytes;
  }

  uint64_t bytes_of(const PackExtent& extent) const {
    uint64_t bytes = 0;
    for (const HeldItem& held : extent.held)
      bytes = round_up(bytes, items_[held.item].alignment_bytes) + items_[held.item].size_bytes;
    return bytes;
  }

  // Describes one way to arrange an extent.
  struct ExtentArrangement {
    uint64_t price_bytes = UINT64_MAX;
    std::vector<HeldItem> held;
    uint32_t leaves = kNoItem;  // moves to another extent
    size_t to = 0;
    uint64_t to_offset_bytes = 0;
  };

  // Takes the cheapest way in which at most one item leaves. If there is none, items are evicted
  // until there is.
  void arrange(size_t index) {
    PackExtent& extent = space_.extents()[index];
    for (;;) {
      ExtentArrangement best = way_to_hold(extent);
      find_one_to_leave(index, best);
      if (best.price_bytes < UINT64_MAX) return take(index, std::move(best));
      evict(extent, index);
    }
  }

  void take(size_t index, ExtentArrangement way) {
    space_.extents()[index].held = std::move(way.held);
    if (way.leaves != kNoItem)
      PackSpace::hold(space_.extents()[way.to], way.leaves, way.to_offset_bytes);
  }

  // Tries to keep all items, either pushed back only as far as needed, or packed to the front.
  ExtentArrangement way_to_hold(const PackExtent& extent) const {
    ExtentArrangement best;
    for (const bool compacts : {false, true}) {
      PackExtent tried = extent;
      uint64_t end = 0;
      for (HeldItem& one : tried.held) {
        const uint64_t from = compacts ? end : std::max(one.offset_bytes, end);
        one.offset_bytes = round_up(from, items_[one.item].alignment_bytes);
        end = one.offset_bytes + items_[one.item].size_bytes;
      }
      if (end > extent.size_bytes) continue;
      const uint64_t price = price_.bytes(tried);
      if (price < best.price_bytes) best = {.price_bytes = price, .held = std::move(tried.held)};
    }
    return best;
  }

  // Looks for a cheaper way than `best` in which one item leaves.
  void find_one_to_leave(size_t index, ExtentArrangement& best) const {
    const PackExtent& extent = space_.extents()[index];
    const uint64_t bytes = bytes_of(extent);
    const uint64_t over = bytes - std::min(bytes, extent.size_bytes);
    const std::vector<size_t> targets = near_changed(index);
    for (size_t i = 0; i < extent.held.size(); ++i) {
      if (items_[extent.held[i].item].size_bytes < over || !is_near_edit(extent, i)) continue;
      PackExtent rest = extent;
      rest.held.erase(rest.held.begin() + static_cast<std::ptrdiff_t>(i));
      ExtentArrangement way = way_to_hold(rest);
      if (way.price_bytes >= best.price_bytes) continue;
      way.leaves = extent.held[i].item;
      const uint64_t price_here = way.price_bytes;
      for (const size_t to : targets) {
        const auto moved = price_of_move(way.leaves, to);
        if (!moved || price_here + moved->price_bytes >= best.price_bytes) continue;
        way.price_bytes = price_here + moved->price_bytes;
        way.to = to;
        way.to_offset_bytes = moved->offset_bytes;
        best = way;
      }
    }
  }

  bool is_near_edit(const PackExtent& extent, size_t number) const {
    const size_t end = std::min(extent.held.size(), number + kNearEdit + 1);
    for (size_t i = number - std::min(number, kNearEdit); i < end; ++i)
      if (is_edited_[extent.held[i].item] != 0) return true;
    return false;
  }

  // Returns the nearest extents among those that change anyway.
  std::vector<size_t> near_changed(size_t index) const {
    const auto at = std::ranges::lower_bound(changed_, index);
    const auto before = std::min<std::ptrdiff_t>(at - changed_.begin(), kNearChanged);
    const auto after = std::min<std::ptrdiff_t>(changed_.end() - at, kNearChanged);
    std::vector<size_t> near(at - before, at + after);
    std::erase(near, index);
    return near;
  }

  // Finds a hole in an extent that holds no large asset and has the same readers or none.
  std::optional<PackSpace::Hole> find_hole(size_t index, uint32_t item) const {
    const PackExtent& extent = space_.extents()[index];
    const auto readers = space_.readers(extent);
    if ((readers && *readers != items_[item].readers) || holds_large(extent)) return {};
    return space_.find_hole(extent, begins_[index], item);
  }

  struct Moved {
    uint64_t price_bytes = 0;
    uint64_t offset_bytes = 0;
  };

  // Returns the price of moving an item to an extent; nothing if it doesn't fit.
  std::optional<Moved> price_of_move(uint32_t item, size_t to) const {
    const PackExtent& extent = space_.extents()[to];
    if (!is_sound(extent)) return {};
    const auto hole = find_hole(to, item);
    if (!hole) return {};
    PackExtent with = extent;
    PackSpace::hold(with, item, hole->offset_bytes);
    const uint64_t now = price_.bytes(with);
    const uint64_t before = price_.bytes(extent);
    return Moved{now - std::min(now, before), hole->offset_bytes};
  }

  // Takes out an item that is too large for the extent itself; otherwise the smallest one that
  // makes enough room; otherwise the largest.
  void evict(PackExtent& extent, size_t index) {
    const auto too_large = std::ranges::find_if(extent.held, [&](const HeldItem& held) {
      return items_[held.item].size_bytes > extent.size_bytes;
    });
    if (too_large != extent.held.end()) return take_out(extent, index, too_large);
    const uint64_t bytes = bytes_of(extent);
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

  void take_out(PackExtent& extent, size_t index, std::vector<HeldItem>::iterator held) {
    homeless_.push_back({held->item, index});
    extent.held.erase(held);
  }

  // Finds the cells in which anything changes. Under the grid, more changes there cost nothing.
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

  // The cells of the tables always change.
  bool is_changed_cell(uint64_t cell) const {
    return cell <= (space_.data_offset_bytes() - 1) / kGridBytes || changed_cells_.contains(cell);
  }

  // Returns the extent where items with the same readers end; new items go near it.
  size_t home_of(uint32_t item) const {
    const std::vector<PackExtent>& extents = space_.extents();
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

  // Puts the item into the nearest of these extents (ascending) that has a fitting hole, and the
  // same readers or none.
  bool settle_among(uint32_t item, size_t from, const std::vector<size_t>& among, size_t most) {
    auto up = std::ranges::lower_bound(among, from);
    auto down = up;
    const auto distance = [&](size_t index) { return index > from ? index - from : from - index; };
    while (up != among.end() || down != among.begin()) {
      const bool take_up =
          down == among.begin() || (up != among.end() && distance(*up) <= distance(*(down - 1)));
      const size_t index = take_up ? *up++ : *--down;
      if (distance(index) > most) return false;
      const auto hole = find_hole(index, item);
      if (!hole) continue;
      PackSpace::hold(space_.extents()[index], item, hole->offset_bytes);
      return true;
    }
    return false;
  }

  // Puts a large item into its own extent in front of the next cell, which moves back by whole MiB.
  void settle_large(uint32_t item, size_t from) {
    size_t index = std::min(from + 1, space_.extents().size());
    while (index < space_.extents().size() && begins_[index] % kGridBytes != 0) ++index;
    const uint64_t size = round_up(items_[item].size_bytes, kPageBytes);
    PackExtent extent = {.size_bytes = size, .held = {{item, 0}}, .is_changed = true};
    if (index < space_.extents().size())
      space_.insert_free(index, begins_[index] + size, round_up(size, kGridBytes) - size);
    space_.extents().insert(space_.extents().begin() + static_cast<std::ptrdiff_t>(index),
                            std::move(extent));
    for (Homeless& one : homeless_)
      if (one.from >= index) one.from = std::min(one.from + 1, space_.extents().size() - 1);
    find_changed_cells();
  }

  // Puts the item behind everything else: into the rest of the last cell, or into a new one.
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

  // Drops empty extents at the end. The last extent is shortened if it is new; otherwise it keeps
  // its size.
  void trim_end() {
    std::vector<PackExtent>& extents = space_.extents();
    while (!extents.empty() && extents.back().held.empty()) extents.pop_back();
    if (extents.empty() || extents.back().number != kNewExtent) return;
    const HeldItem& last = extents.back().held.back();
    extents.back().size_bytes =
        round_up(last.offset_bytes + items_[last.item].size_bytes, kPageBytes);
  }

  PackSpace& space_;
  const std::vector<SpaceItem>& items_;
  const PatchPrice& price_;
  const std::vector<char>& is_edited_;
  std::vector<Homeless> homeless_;
  // These are valid as of the latest find_changed_cells():
  std::vector<uint64_t> begins_;
  std::set<uint64_t> changed_cells_;
  std::vector<size_t> changed_;  // extents in these cells
};

}  // namespace

void keep_space(PackSpace& space, const PatchPrice& price, const std::vector<char>& is_edited,
                std::span<const uint32_t> loose) {
  SpaceKeeper(space, price, is_edited).run(loose);
}

}  // namespace seekless
