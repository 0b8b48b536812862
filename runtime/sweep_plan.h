// Lists what a sweep reads and hands out, in order. It is derived from an untrusted catalog before
// anything is read. It grows pack by pack: a pack's tables lie at its front, so opening it just
// before reading its blocks costs no extra seek.
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
  // Needs with the same bytes in the same place. Each part is handed out for all of them before the
  // next part. The group's blocks are adjacent in the plan.
  struct Group {
    size_t begin = 0;  // index in needs
    size_t end = 0;
    size_t first_block = 0;  // index in blocks
    uint32_t block_count = 0;
  };

  // A null `scenario` means all of a single pack. Opens the first pack, and the files of the
  // others; the plan covers the packs that are open. The set must outlive the plan.
  static Result<SweepPlan> make(const PackSet& set, const format::Scenario* scenario,
                                const Memory& memory = {});
  // Makes a plan with all packs open.
  static Result<SweepPlan> make_whole(const PackSet& set, const format::Scenario* scenario,
                                      const Memory& memory = {});

  // Returns the next pack's number in the set, or none if the plan is complete.
  std::optional<uint32_t> next_pack() const;
  // Opens the next pack, unless it is open, and adds the sweep's reads from it. Throws
  // std::bad_alloc. After an exception or an error, nothing was added.
  Result<void> add_next();
  // Skips the next pack. Returns the number of needs that are lost.
  size_t drop_next();
  // brings() returns whether the sweep delivers an asset of the set; will_bring() whether it will
  // come from a pack that hasn't been added yet.
  bool brings(uint32_t asset) const { return set->is_swept(asset, scenario_); }
  bool will_bring(uint32_t asset) const;

  uint32_t number_of(const PlacedAsset& need) const { return set->number_of(need); }
  const PlacedAsset& head(const Group& group) const { return needs[group.begin]; }

  const PackSet* set = nullptr;
  Vector<BlockPlace> blocks;  // in the order they are read
  Vector<PlacedAsset> needs;  // in the order they arrive
  Vector<Group> groups;       // in the order they arrive
  uint64_t total_bytes = 0;   // for packs that haven't been added, an estimate from the catalog

 private:
  // The part of the sweep in one pack.
  struct Part {
    uint32_t pack = 0;
    std::span<const format::Range> ranges;
    std::span<const format::Need> needs;
    uint64_t expected_bytes = 0;  // this pack's part of total_bytes
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
