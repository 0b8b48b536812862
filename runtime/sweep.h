// Goes through the blocks of a plan in order, and hands out the needed assets as they arrive.
// Assets requested early are handed out out of turn.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "runtime/block_feed.h"
#include "runtime/block_pool.h"
#include "runtime/error.h"
#include "runtime/include/seekless.h"
#include "runtime/sweep_plan.h"

namespace seekless::runtime {

// A piece of an asset, in a block that is held.
struct SweptPiece {
  uint32_t asset = 0;  // its number in the set
  uint64_t asset_bytes = 0;
  uint64_t offset_bytes = 0;
  std::span<const std::byte> data;
  BlockBuffer* buffer = nullptr;  // retained for the caller; null for an empty asset
};

// Only one thread at a time may use it; any thread may call progress() meanwhile.
class Sweep {
 public:
  using MakeFeed = std::function<Owned<BlockFeed>(const SweepPlan&)>;

  // A null `scenario` means all of a single pack. The set and the pool must outlive the sweep.
  // Reads on the caller's thread.
  static Result<Owned<Sweep>> open(const PackSet& set, const format::Scenario* scenario,
                                   BlockPool& pool);
  static Result<Owned<Sweep>> open(const PackSet& set, const format::Scenario* scenario,
                                   const BlockPool& pool, const MakeFeed& make_feed,
                                   const Memory& memory = {});
  // The plan must use the same `memory`.
  Sweep(SweepPlan plan, uint64_t budget_bytes, const Memory& memory);
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // Returns SKL_OK with a piece, SKL_END, SKL_WOULD_BLOCK, or an error. After an error other than
  // OUT_OF_MEMORY, the next call skips the contents of the block that couldn't be read, or of the
  // pack that couldn't be opened.
  Result<skl_result> next(SweptPiece& piece);
  // Returns SKL_OK if the next calls will deliver the asset, SKL_END if it is being or has been
  // delivered, and SKL_NOT_FOUND otherwise.
  skl_result want(uint32_t asset);
  skl_progress progress() const;

 private:
  // An asset of the set, and its group.
  struct Wantable {
    uint32_t asset = 0;
    size_t group = 0;
  };

  // A group that is being handed out.
  struct Cursor {
    size_t group = 0;
    size_t next_need = 0;       // index within the group
    uint64_t offset_bytes = 0;  // number of the group's bytes already handed out
  };

  const SweepPlan::Group& group(const Cursor& cursor) const { return plan_.groups[cursor.group]; }
  const PlacedAsset& head(const Cursor& cursor) const { return plan_.head(group(cursor)); }
  size_t position(const Cursor& cursor) const;
  Result<void> check_budget(const Pack& pack) const;
  Result<void> add_opened_pack();
  Result<skl_result> add_pack(bool is_needed);
  void fit_plan();
  Result<skl_result> next_wanted(SweptPiece& piece);
  Result<skl_result> next_in_turn(SweptPiece& piece);
  void to_next_group();
  bool hand_out(Cursor& cursor, const HeldBlock& block, SweptPiece& piece);
  void hand_out_empty(Cursor& cursor, SweptPiece& piece) const;
  bool is_over(const Cursor& cursor) const;
  void finish(size_t group);
  Error lost(size_t position, Error error) const;
  void list_groups();
  const Wantable* find_wantable(uint32_t asset);
  skl_result want_group(size_t number);
  void want_opened();
  bool jumps_to(size_t position) const;
  void count(size_t position, bool jumps);

  SweepPlan plan_;
  const uint64_t budget_bytes_;
  uint64_t planned_bytes_ = 0;  // the plan's part of total_bytes_
  bool is_fit_ = false;         // the members below have room for the current plan
  Owned<BlockFeed> feed_;
  // The next members hold bytes, because the code for vectors of bits takes 1.6 KiB.
  Vector<uint8_t> is_done_;     // for each group: true once it is completely handed out or lost
  Vector<uint8_t> is_wanted_;   // for each group: true if it is or was handed out out of turn
  Vector<uint32_t> groups_in_;  // for each block: number of unfinished groups in it
  Vector<uint8_t> is_skipped_;  // for each block
  Vector<Wantable> wantable_;   // sorted by asset; made when an asset is wanted

  Cursor cursor_;
  size_t next_block_ = 0;
  HeldBlock block_;        // the block at next_block_, if it has been read
  Vector<Cursor> wanted_;  // in the order of their requests, from first_wanted_ on
  size_t first_wanted_ = 0;
  Vector<uint32_t> unopened_;  // wanted assets of packs that aren't in the plan yet
  HeldBlock wanted_block_;
  size_t wanted_position_ = SIZE_MAX;

  std::atomic<uint64_t> total_bytes_ = 0;
  std::atomic<uint64_t> read_bytes_ = 0;
  std::atomic<uint64_t> reads_ = 0;
  std::atomic<uint64_t> jumps_ = 0;
};

}  // namespace seekless::runtime
