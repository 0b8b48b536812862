// The bytes of one pack after its tables as extents: pages in a row that hold assets and holes,
// and become blocks. Placing and keeping places work on it. Pure.
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

// Lies in one extent at an offset.
struct HeldItem {
  uint32_t item = 0;
  uint64_t offset_bytes = 0;
};

inline constexpr uint32_t kNewExtent = UINT32_MAX;

// An extent never crosses a line of the grid, unless it holds one asset that does.
struct PackExtent {
  uint64_t size_bytes = 0;       // a multiple of a page
  std::vector<HeldItem> held;    // by offset
  bool is_changed = false;       // against the earlier build
  uint32_t number = kNewExtent;  // in the earlier build
};

class PackSpace {
 public:
  // `items` grow and shrink outside, and outlive this.
  PackSpace(const std::vector<SpaceItem>& items, uint32_t block_bytes, uint64_t data_offset_bytes);

  // Extents of earlier places: of each item where it lies; none: nowhere. Items may have had
  // another size then: `sizes_bytes`.
  void restore(std::span<const uint32_t> block_raw_bytes,
               std::span<const std::optional<PlaceInPack>> places,
               std::span<const uint64_t> sizes_bytes);
  // Extents that held what is gone: those with the blocks `vacated`. What is empty is cut anew.
  void vacate(std::span<const uint32_t> vacated);
  // Blocks, and places of the items that are held.
  LaidPlaces to_places() const;

  std::vector<PackExtent>& extents() { return extents_; }
  const std::vector<PackExtent>& extents() const { return extents_; }
  const std::vector<SpaceItem>& items() const { return items_; }
  uint32_t block_bytes() const { return block_bytes_; }
  uint64_t data_offset_bytes() const { return data_offset_bytes_; }
  // Cells are between lines of the grid: of 1 MiB, or of a block where that is smaller.
  uint64_t cell_bytes() const { return cell_bytes_; }
  // The first line of the grid after this place in the file.
  uint64_t line_behind(uint64_t offset_bytes) const {
    return (offset_bytes / cell_bytes_ + 1) * cell_bytes_;
  }
  // Where each extent begins in the file, and the end of the last.
  std::vector<uint64_t> begins() const;
  // What reads the extent; none if it is empty.
  std::optional<uint32_t> readers(const PackExtent& extent) const;

  // The offset of the tightest hole of an extent that the item fits into, and how much is left.
  struct Hole {
    uint64_t offset_bytes = 0;
    uint64_t left_bytes = 0;
  };
  std::optional<Hole> find_hole(const PackExtent& extent, uint64_t begin, uint32_t item) const;
  static void hold(PackExtent& extent, uint32_t item, uint64_t offset_bytes);

  // Puts empty extents of together `size_bytes` at `index`, which begins at `begin`: cut where
  // lines of the grid are.
  void insert_free(size_t index, uint64_t begin, uint64_t size_bytes);
  // Takes out empty extents where they make up whole MiB, and those at the end; so nothing that
  // stays changes its place in its MiB.
  void drop_free();
  // Moves the data after them by whole MiB, so that the tables have `table_bytes`.
  void reserve_tables(uint64_t table_bytes);

 private:
  const std::vector<SpaceItem>& items_;
  uint32_t block_bytes_;
  uint64_t data_offset_bytes_;
  uint64_t cell_bytes_;
  std::vector<PackExtent> extents_;
  std::vector<uint32_t> extent_of_block_;  // as restored
};

// Room for header and tables of so many assets with so many bytes of paths in so many blocks, at
// most: a multiple of a page.
uint64_t table_room_bytes(uint64_t assets, uint64_t path_bytes, uint64_t blocks);

}  // namespace seekless
