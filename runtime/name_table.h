// Puts the paths of several mounts into one table, by hash. It is made once and then only read.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/error.h"
#include "runtime/memory.h"
#include "runtime/tables.h"

namespace seekless::runtime {

struct NamedAsset {
  uint64_t path_hash = 0;
  skl_asset asset = 0;  // 0 means that the path is deleted
  uint64_t size_bytes = 0;
  uint32_t rank = 0;  // the rank of its mount, from 1
};

class NameTable {
 public:
  NameTable() = default;
  // Makes room for `most` paths. Throws std::bad_alloc.
  NameTable(size_t most, const Memory& memory);

  bool empty() const { return slots_.empty(); }
  // Adds a path unless it is there already. Returns false if too many paths have similar hashes for
  // a fast search, which doesn't happen by chance.
  bool add(const NamedAsset& named);
  // Returns the entry of the path with this hash, or null.
  const NamedAsset* find(uint64_t path_hash) const {
    if (slots_.empty()) return nullptr;
    const uint32_t index =
        find_in_slots(slots_, path_hash, [this](uint32_t at) { return assets_[at].path_hash; });
    return index == format::kEmptySlot ? nullptr : &assets_[index];
  }

 private:
  // The slots lie apart from the entries, as in a pack, so a search that finds nothing touches
  // little memory.
  TableMemory slots_memory_;
  TableMemory assets_memory_;
  std::span<format::Slot> slots_;
  std::span<NamedAsset> assets_;
  uint32_t count_ = 0;
};

}  // namespace seekless::runtime
