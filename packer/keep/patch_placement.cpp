// Places assets of a fresh layout so that changes to them move little.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "packer/keep/internal/pack_items.h"
#include "packer/keep/pack_space.h"
#include "packer/keep/patch_layout.h"
#include "packer/layout/placement.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

using format::kPageBytes;
using format::round_up;

// A hole in front of a line is filled from this many following assets and bytes. A sweep would wait
// for assets from farther away for longer than a seek takes.
constexpr size_t kNearItems = 512;
constexpr uint64_t kNearBytes = 16 * 1024 * 1024;
// After each asset there is room for it to grow by a tenth, up to a limit that is used often:
// unused room is zeros, which are fetched with each edit. Without room something else moves, which
// costs some 20 KB of chunks. All rooms together take at most a fiftieth of the pack. For
// log-normal sizes, a thirtieth saves no more than another 0.01 of the edited bytes, and no room at
// all costs 0.03 to 0.04; for equal sizes it costs 0.12.
constexpr uint64_t kRoomDivisor = 10;
constexpr uint64_t kMostRoomBytes = 8 * 1024;
constexpr uint64_t kRoomStepBytes = 256;
constexpr uint64_t kRoomsDivisor = 50;
// This much of each cell stays free, too, for assets that need more.
constexpr uint64_t kSlackBytes = 4 * 1024;
// A hole of at most this size isn't filled any further.
constexpr uint64_t kSmallHoleBytes = 8 * 1024;
// Assets of at most this size are collected from each window of kWindowBytes and laid after the
// others. If most edits hit few cells, the other cells stay unchanged.
constexpr uint64_t kSmallBytes = 64 * 1024;
constexpr uint64_t kWindowBytes = 16 * 1024 * 1024;
// Largest share of the bytes that holes may take. Above it, an asset crosses the line.
constexpr double kHolesShare = 0.03;

// Places items in their order; each call of place() takes the next one.
class FreshPlacer {
 public:
  FreshPlacer(PackSpace& space, const std::vector<SpaceItem>& items)
      : space_(space),
        items_(items),
        order_(small_ones_together(items)),
        most_room_bytes_(find_most_room()),
        is_placed_(items.size(), 0),
        at_(space.data_offset_bytes()) {}

  void run() {
    for (size_t i = 0; i < order_.size(); ++i)
      if (is_placed_[order_[i]] == 0) place(i);
    close(0);
  }

 private:
  // Works on windows of the order that have one set of readers. In the first window small items
  // come first, because that cell changes with the tables anyway.
  static std::vector<uint32_t> small_ones_together(const std::vector<SpaceItem>& items) {
    std::vector<uint32_t> order(items.size());
    std::iota(order.begin(), order.end(), 0U);
    for (size_t from = 0; from < order.size();) {
      size_t to = from;
      for (uint64_t bytes = 0;
           to < order.size() && bytes < kWindowBytes && items[to].readers == items[from].readers;
           ++to)
        bytes += items[to].size_bytes;
      const auto begin = order.begin();
      std::stable_partition(
          begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
          [&](uint32_t item) { return (items[item].size_bytes <= kSmallBytes) == (from == 0); });
      from = to;
    }
    return order;
  }

  // Returns the largest room for which all rooms together stay within their share.
  uint64_t find_most_room() const {
    uint64_t bytes = 0;
    for (const SpaceItem& item : items_) bytes += item.size_bytes;
    uint64_t most = kMostRoomBytes;
    for (; most > 0; most -= kRoomStepBytes) {
      uint64_t rooms = 0;
      for (const SpaceItem& item : items_) rooms += room_bytes(item, most);
      if (rooms <= bytes / kRoomsDivisor) break;
    }
    return most;
  }

  uint64_t room_bytes(const SpaceItem& item, uint64_t most) const {
    if (item.size_bytes > space_.cell_bytes()) return 0;
    return std::min(item.size_bytes / kRoomDivisor, most);
  }

  void place(size_t number) {
    const uint32_t item = order_[number];
    const SpaceItem& wanted = items_[item];
    if (wanted.size_bytes > space_.cell_bytes()) return place_alone(item);
    if (fill_bytes_ >= kLeastBlockBytes && wanted.readers != readers_) close(0);
    while (!fits(item)) {
      fill_hole(number);
      // Only this hole in front of the line would be lost.
      const uint64_t hole = line() - at_ - fill_bytes_;
      const uint64_t allowed =
          static_cast<uint64_t>(static_cast<double>(at_ + kGridBytes) * kHolesShare);
      if (hole > kPageBytes && holes_bytes_ + hole > allowed) return place_alone(item);
      holes_bytes_ += hole;
      close(line() - at_);
    }
    put(item);
  }

  // Returns true if the item and the cell's slack fit before the line; alone in its cell it needs
  // no slack.
  bool fits(uint32_t item) const {
    const uint64_t offset = round_up(fill_bytes_, items_[item].alignment_bytes);
    const uint64_t end = at_ + offset + items_[item].size_bytes;
    return end + slack_bytes() <= line() || (offset == 0 && end <= line());
  }

  // The slack is in proportion to the cell.
  uint64_t slack_bytes() const { return space_.cell_bytes() * kSlackBytes / kGridBytes; }

  void put(uint32_t item) {
    if (open_.held.empty()) readers_ = items_[item].readers;
    const uint64_t offset = round_up(fill_bytes_, items_[item].alignment_bytes);
    open_.held.push_back({item, offset});
    // The room ends with the cell. An item that crosses a line has none.
    const uint64_t end = offset + items_[item].size_bytes;
    const uint64_t room = room_bytes(items_[item], most_room_bytes_);
    fill_bytes_ = end + std::min(room, line() - at_ - std::min(line() - at_, end));
    is_placed_[item] = 1;
  }

  // Fills the hole with the largest items that fit.
  void fill_hole(size_t number) {
    const uint32_t from = order_[number];
    while (line() - at_ - fill_bytes_ > slack_bytes() + kSmallHoleBytes) {
      std::optional<uint32_t> best;
      uint64_t seen_bytes = 0;
      const size_t end = std::min(order_.size(), number + kNearItems);
      for (size_t i = number + 1; i < end && seen_bytes < kNearBytes; ++i) {
        const uint32_t item = order_[i];
        seen_bytes += items_[item].size_bytes;
        if (is_placed_[item] != 0 || items_[item].readers != items_[from].readers || !fits(item))
          continue;
        if (!best || items_[item].size_bytes > items_[*best].size_bytes) best = item;
      }
      if (!best) return;
      put(*best);
    }
  }

  // Places the item in its own extent, across as many lines as needed.
  void place_alone(uint32_t item) {
    close(0);
    put(item);
    close(0);
  }

  // Closes the open extent after what it holds, or at `size_bytes` if that is more.
  void close(uint64_t size_bytes) {
    const uint64_t used = std::max(size_bytes, round_up(fill_bytes_, kPageBytes));
    fill_bytes_ = 0;
    if (used == 0) return;
    open_.size_bytes = used;
    space_.extents().push_back(std::exchange(open_, {}));
    at_ += used;
  }

  uint64_t line() const { return space_.line_behind(at_); }

  PackSpace& space_;
  const std::vector<SpaceItem>& items_;
  std::vector<uint32_t> order_;
  uint64_t most_room_bytes_;  // limit for the room after an item
  std::vector<char> is_placed_;
  PackExtent open_;
  uint64_t at_;              // where the open extent begins in the file
  uint64_t fill_bytes_ = 0;  // used bytes of the open extent
  uint32_t readers_ = 0;     // readers of its first item
  uint64_t holes_bytes_ = 0;
};

// Adds room for a sixteenth more, so that some more assets don't move the data.
uint64_t with_room(uint64_t count) {
  return count + count / 16 + 16;
}

uint64_t roomy_tables(const PackItems& items, uint64_t assets, uint64_t blocks) {
  const uint64_t path_bytes = assets == 0 ? 0 : items.path_bytes * with_room(assets) / assets;
  return table_room_bytes(with_room(assets), path_bytes, with_room(blocks));
}

}  // namespace

Padding padding_of(const Layout& layout) {
  Padding padding;
  for (const LaidPack& pack : layout.packs) {
    uint64_t bytes = pack.places->data_offset_bytes;
    for (const uint32_t raw_bytes : pack.places->block_raw_bytes)
      bytes += round_up(raw_bytes, kPageBytes);
    uint64_t path_bytes = 0;
    uint64_t used = 0;
    for (size_t i = 0; i < pack.assets.size(); ++i) {
      path_bytes += pack.assets[i].path.size();
      // The assets are sorted by place, so those of equal content are adjacent.
      const bool is_first = i == 0 || pack.assets[i - 1].size_bytes == 0 ||
                            pack.places->assets[i] != pack.places->assets[i - 1];
      if (is_first) used += pack.assets[i].size_bytes;
    }
    used += std::min(
        pack.places->data_offset_bytes,
        table_room_bytes(pack.assets.size(), path_bytes, pack.places->block_raw_bytes.size()));
    padding.file_bytes += bytes;
    padding.padding_bytes += bytes - used;
  }
  return padding;
}

void place_fresh(LaidPack& pack, const HashedContent& hashed, uint32_t block_bytes) {
  const PackItems items = find_items(pack, hashed);
  uint64_t bytes = 0;
  for (const SpaceItem& item : items.items) bytes += item.size_bytes;
  uint64_t blocks = bytes / std::min<uint64_t>(kGridBytes, block_bytes) + 1;
  // The number of blocks is known only after placing, but the tables in front depend on it. So this
  // repeats until the room is enough.
  for (;;) {
    PackSpace space(items.items, block_bytes, roomy_tables(items, pack.assets.size(), blocks));
    FreshPlacer(space, items.items).run();
    const uint64_t made = space.to_places().block_raw_bytes.size();
    if (made <= with_room(blocks)) return lay(pack, items, space);
    blocks = made;
  }
}

Layout place_layout(Layout planned, const HashedContent& hashed) {
  for (LaidPack& pack : planned.packs) place_fresh(pack, hashed, planned.block_bytes);
  return planned;
}

}  // namespace seekless
