// What a sweep reads and brings, in which order: worked out from a catalog, which may come from
// anywhere, before anything is read. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/error.h"
#include "runtime/memory.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

struct BlockPlace {
  const Pack* pack = nullptr;
  uint32_t block = 0;
  const format::Block& record() const { return pack->blocks()[block]; }
};

struct SweepPlan {
  // Needs that are the same bytes in the same place; each part is handed out for all before the
  // next part is. Its blocks lie one after the other in the plan.
  struct Group {
    size_t begin = 0;  // in needs
    size_t end = 0;
    size_t first_block = 0;  // in blocks
    uint32_t block_count = 0;
  };

  // `scenario` null: all of a single pack. Opens the packs. The set must outlive the plan.
  static Result<SweepPlan> make(const PackSet& set, const format::Scenario* scenario,
                                const Memory& memory = {});

  uint32_t number_of(const PlacedAsset& need) const { return set->number_of(need); }
  const PlacedAsset& head(const Group& group) const { return needs[group.begin]; }

  const PackSet* set = nullptr;
  Vector<BlockPlace> blocks;  // in the order they are read
  Vector<PlacedAsset> needs;  // in the order they arrive
  Vector<Group> groups;       // likewise
  uint64_t total_bytes = 0;

 private:
  explicit SweepPlan(const Memory& memory) : blocks(memory), needs(memory), groups(memory) {}
  Result<void> gather(const format::Scenario& scenario);
  void gather(const Pack& pack);
  Result<void> group_needs();
};

}  // namespace seekless::runtime
