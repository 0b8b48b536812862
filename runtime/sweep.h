// Takes the blocks of a plan one after the other, and hands out the assets that are needed as they
// arrive. Those that are wanted at once are handed out of turn.
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

// A piece of an asset in a block that is held.
struct SweptPiece {
  uint32_t asset = 0;  // its number in the set
  uint64_t asset_bytes = 0;
  uint64_t offset_bytes = 0;
  std::span<const std::byte> data;
  BlockBuffer* buffer = nullptr;  // retained for the caller; null for an empty asset
};

// For one thread at a time, except progress().
class Sweep {
 public:
  using MakeFeed = std::function<Owned<BlockFeed>(const SweepPlan&)>;

  // `scenario` null: all of a single pack. The set and the pool must outlive the sweep. Reads on
  // the caller's thread.
  static Result<Owned<Sweep>> open(const PackSet& set, const format::Scenario* scenario,
                                   BlockPool& pool);
  static Result<Owned<Sweep>> open(const PackSet& set, const format::Scenario* scenario,
                                   const BlockPool& pool, const MakeFeed& make_feed,
                                   const Memory& memory = {});
  // `plan` is of `memory`.
  Sweep(SweepPlan plan, uint64_t budget_bytes, const Memory& memory);
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // SKL_OK with a piece, SKL_END, SKL_WOULD_BLOCK, or an error. After an error other than
  // OUT_OF_MEMORY, the next call passes over what lay in the block that couldn't be read, or in the
  // pack that couldn't be opened.
  Result<skl_result> next(SweptPiece& piece);
  // SKL_OK: comes with the next calls; SKL_END: came already, or is coming; SKL_NOT_FOUND.
  skl_result want(uint32_t asset);
  skl_progress progress() const;

 private:
  // An asset of the set, and the group it is in.
  struct Wantable {
    uint32_t asset = 0;
    size_t group = 0;
  };

  // A group that is being handed out.
  struct Cursor {
    size_t group = 0;
    size_t next_need = 0;       // within it
    uint64_t offset_bytes = 0;  // how much of it has been handed out
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
  uint64_t planned_bytes_ = 0;  // of total_bytes_, what the plan says
  bool is_fit_ = false;         // all below has room for what is planned
  Owned<BlockFeed> feed_;
  Vector<bool> is_done_;        // by group: handed out whole, or lost
  Vector<bool> is_wanted_;      // by group: comes, or came, out of turn
  Vector<uint32_t> groups_in_;  // by block: how many that aren't done have bytes there
  Vector<bool> is_skipped_;     // by block
  Vector<Wantable> wantable_;   // by asset, rising; made when one is wanted

  Cursor cursor_;
  size_t next_block_ = 0;
  HeldBlock block_;        // the one at next_block_, if it has been read
  Vector<Cursor> wanted_;  // in the order they are wanted, from first_wanted_ on
  size_t first_wanted_ = 0;
  Vector<uint32_t> unopened_;  // assets that are wanted, of packs that the plan hasn't yet
  HeldBlock wanted_block_;
  size_t wanted_position_ = SIZE_MAX;

  std::atomic<uint64_t> total_bytes_ = 0;
  std::atomic<uint64_t> read_bytes_ = 0;
  std::atomic<uint64_t> reads_ = 0;
  std::atomic<uint64_t> jumps_ = 0;
};

}  // namespace seekless::runtime
