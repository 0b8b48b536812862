// What a sweep reads and brings, in which order: worked out from a catalog, which may come from
// anywhere, before anything of it is read. It grows pack by pack: a pack's tables lie at its front,
// so that opening it just before its own blocks are read costs no seek of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

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

  // `scenario` null: all of a single pack. Opens the first pack, and the files of the others; has
  // as many packs as are open. The set must outlive the plan.
  static Result<SweepPlan> make(const PackSet& set, const format::Scenario* scenario,
                                const Memory& memory = {});
  // With all packs open.
  static Result<SweepPlan> make_whole(const PackSet& set, const format::Scenario* scenario,
                                      const Memory& memory = {});

  // The number in the set of the pack that comes next; none if the plan is whole.
  std::optional<uint32_t> next_pack() const;
  // Opens that pack, unless it is open, and adds what the sweep reads of it. Throws std::bad_alloc;
  // then, and after an error, nothing is added.
  Result<void> add_next();
  // Passes over that pack; gives how many needs are lost.
  size_t drop_next();
  // Whether the sweep brings an asset of the set; whether from a pack that hasn't been added yet.
  bool brings(uint32_t asset) const { return set->is_swept(asset, scenario_); }
  bool will_bring(uint32_t asset) const;

  uint32_t number_of(const PlacedAsset& need) const { return set->number_of(need); }
  const PlacedAsset& head(const Group& group) const { return needs[group.begin]; }

  const PackSet* set = nullptr;
  Vector<BlockPlace> blocks;  // in the order they are read
  Vector<PlacedAsset> needs;  // in the order they arrive
  Vector<Group> groups;       // likewise
  uint64_t total_bytes = 0;   // of packs that haven't been added, as the catalog has it: about

 private:
  // What the sweep reads of one pack.
  struct Part {
    uint32_t pack = 0;
    std::span<const format::Range> ranges;
    std::span<const format::Need> needs;
    uint64_t expected_bytes = 0;  // in total_bytes
  };

  explicit SweepPlan(const Memory& memory)
      : blocks(memory), needs(memory), groups(memory), parts_(memory) {}
  void list_parts();
  void expect_bytes(uint32_t block_bytes);
  Result<void> gather(const Part& part, const Pack& pack);
  void gather(const Pack& pack);
  Result<void> group_needs(size_t first_need, size_t first_block);

  const format::Scenario* scenario_ = nullptr;
  Vector<Part> parts_;
  size_t next_part_ = 0;
};

}  // namespace seekless::runtime
