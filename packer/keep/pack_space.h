// Models the bytes of one pack after its tables as extents: runs of pages that hold assets and
// holes, and become blocks. Placing assets and keeping their places both work
// on it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "packer/layout/layout.h"

namespace seekless {

struct SpaceItem {
  uint64_t size_bytes = 0;  // above 0
  uint32_t alignment_bytes = 1;
  uint32_t readers = 0;  // a scenario set
};

// An item at an offset in an extent.
struct HeldItem {
  uint32_t item = 0;
  uint64_t offset_bytes = 0;
};

inline constexpr uint32_t kNewExtent = UINT32_MAX;

// An extent never crosses a line of the grid, unless it holds one asset that does.
struct PackExtent {
  uint64_t size_bytes = 0;       // a multiple of a page
  std::vector<HeldItem> held;    // sorted by offset
  bool is_changed = false;       // since the earlier build
  uint32_t number = kNewExtent;  // its number in the earlier build
};

class PackSpace {
 public:
  // `items` may grow and shrink outside, and must outlive this.
  PackSpace(const std::vector<SpaceItem>& items, uint32_t block_bytes, uint64_t data_offset_bytes);

  // Makes the extents of earlier places. `places` holds each item's place, if it had one.
  // `sizes_bytes` are the items' sizes at that time.
  void restore(std::span<const uint32_t> block_raw_bytes,
               std::span<const std::optional<PlaceInPack>> places,
               std::span<const uint64_t> sizes_bytes);
  // Marks the extents with the blocks `vacated`, which held gone assets, as changed. Empty ones are
  // cut anew at lines of the grid.
  void vacate(std::span<const uint32_t> vacated);
  // Returns the blocks, and the places of all held items.
  LaidPlaces to_places() const;

  std::vector<PackExtent>& extents() { return extents_; }
  const std::vector<PackExtent>& extents() const { return extents_; }
  const std::vector<SpaceItem>& items() const { return items_; }
  uint32_t block_bytes() const { return block_bytes_; }
  uint64_t data_offset_bytes() const { return data_offset_bytes_; }
  // A cell lies between two lines of the grid. It has 1 MiB, or the size of a block if that is
  // smaller.
  uint64_t cell_bytes() const { return cell_bytes_; }
  // Returns the first line of the grid after this offset in the file.
  uint64_t line_behind(uint64_t offset_bytes) const {
    return (offset_bytes / cell_bytes_ + 1) * cell_bytes_;
  }
  // Returns where each extent begins in the file, and the end of the last one.
  std::vector<uint64_t> begins() const;
  // Returns the readers of the extent; nothing if it is empty.
  std::optional<uint32_t> readers(const PackExtent& extent) const;

  // The tightest hole in an extent that fits an item, and the bytes left over in it.
  struct Hole {
    uint64_t offset_bytes = 0;
    uint64_t left_bytes = 0;
  };
  std::optional<Hole> find_hole(const PackExtent& extent, uint64_t begin, uint32_t item) const;
  static void hold(PackExtent& extent, uint32_t item, uint64_t offset_bytes);

  // Inserts empty extents of `size_bytes` in total at `index`, which begins at `begin`. They are
  // cut at lines of the grid.
  void insert_free(size_t index, uint64_t begin, uint64_t size_bytes);
  // Removes whole MiB of empty extents, and empty extents at the end. So what stays keeps its
  // offset within its MiB.
  void drop_free();
  // Makes room for `table_bytes` of tables by moving the data behind them by whole MiB.
  void reserve_tables(uint64_t table_bytes);

 private:
  const std::vector<SpaceItem>& items_;
  uint32_t block_bytes_;
  uint64_t data_offset_bytes_;
  uint64_t cell_bytes_;
  std::vector<PackExtent> extents_;
  std::vector<uint32_t> extent_of_block_;  // indexed by block of the restored places
};

// Returns the most room that the header and tables may take for this many assets, bytes of paths
// and blocks; a multiple of a page.
uint64_t table_room_bytes(uint64_t assets, uint64_t path_bytes, uint64_t blocks);

}  // namespace seekless
