// Paths of several mounts in one table, by hash. Made once, then only looked up.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/error.h"
#include "runtime/memory.h"
#include "runtime/tables.h"

namespace seekless::runtime {

struct NamedAsset {
  uint64_t path_hash = 0;
  skl_asset asset = 0;  // 0: the path is deleted
  uint64_t size_bytes = 0;
  uint32_t rank = 0;  // of its mount, from 1; 0: an empty slot
};

class NameTable {
 public:
  NameTable() = default;
  // Room for so many. Throws std::bad_alloc.
  NameTable(size_t most, const Memory& memory);

  bool empty() const { return slots_.empty(); }
  // Adds a path that isn't there yet; one that is stays. False if so many paths hash alike that
  // searching would take long: no chance does that.
  bool add(const NamedAsset& named);
  // The entry of the path with this hash, or null.
  const NamedAsset* find(uint64_t path_hash) const;

 private:
  TableMemory memory_;
  std::span<NamedAsset> slots_;
};

}  // namespace seekless::runtime
