// Reads the block ranges of a scenario front to back and hands out the assets that it needs, as
// they arrive.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "runtime/block_pool.h"
#include "runtime/error.h"
#include "runtime/include/seekless.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// A piece of an asset in a block that is held.
struct SweptPiece {
  uint32_t asset = 0;  // its number in the set
  uint64_t asset_bytes = 0;
  uint64_t offset_bytes = 0;
  std::span<const std::byte> data;
  BlockBuffer* buffer = nullptr;  // retained for the caller; null for an empty asset
};

class Sweep {
 public:
  // `scenario` null: all of a single pack. The set and the pool must outlive the sweep.
  static Result<std::unique_ptr<Sweep>> open(const PackSet& set, const format::Scenario* scenario,
                                             BlockPool& pool);
  ~Sweep();
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // SKL_OK with a piece, SKL_END, SKL_WOULD_BLOCK, or an error; then what lay in the block that
  // couldn't be read is passed over by the next call.
  Result<skl_result> next(SweptPiece& piece);
  skl_progress progress() const;

 private:
  struct BlockPlace {
    const Pack* pack;
    uint32_t block;
  };

  explicit Sweep(BlockPool& pool) : pool_(pool) {}
  Result<void> plan(const PackSet& set, const format::Scenario& scenario);
  void plan(const Pack& pack);
  Result<void> check_plan() const;

  bool need_is_in(const BlockPlace& place) const;
  Result<skl_result> load(const BlockPlace& place);
  void announce_blocks();
  void hand_out(const BlockPlace& place, SweptPiece& piece);
  void find_group();
  void drop_block();

  BlockPool& pool_;
  const PackSet* set_ = nullptr;
  std::vector<BlockPlace> blocks_;  // in the order they are read
  std::vector<PlacedAsset> needs_;  // in the order they arrive
  size_t next_block_ = 0;
  size_t announced_blocks_ = 0;  // to the system, which may fetch them meanwhile
  // The needs in hand: one, or several that are the same bytes; of these each part is handed out
  // for all before the next part is.
  size_t group_begin_ = 0;
  size_t group_end_ = 0;
  size_t next_need_ = 0;              // within the group
  uint64_t piece_offset_bytes_ = 0;   // how much of the group has been handed out
  BlockBuffer* buffer_ = nullptr;     // the current block; null before it is loaded
  const BlockPlace* lost_ = nullptr;  // the latest block that couldn't be read
  std::span<const std::byte> raw_;

  uint64_t total_bytes_ = 0;
  std::atomic<uint64_t> read_bytes_ = 0;
  std::atomic<uint64_t> reads_ = 0;
  std::atomic<uint64_t> jumps_ = 0;
};

}  // namespace seekless::runtime
