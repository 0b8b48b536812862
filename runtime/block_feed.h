// The source of a sweep's blocks. One kind reads a block when it is asked for (verify, the
// simulator, fuzzers); the other has the scheduler read ahead (games).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "runtime/block_pool.h"
#include "runtime/error.h"
#include "runtime/sweep_plan.h"

namespace seekless::runtime {

// A block in memory, checked and decoded.
struct HeldBlock {
  Buffer buffer;
  std::span<const std::byte> raw;
};

class BlockFeed {
 public:
  virtual ~BlockFeed() = default;
  // Returns the block at `position` of the plan. Positions must rise. The result is SKL_OK,
  // SKL_WOULD_BLOCK, or the error that prevents reading the block.
  virtual Result<skl_result> next(size_t position, HeldBlock& block) = 0;
  // Reads a block out of turn. Called once for each wanted part. The block comes again in its turn,
  // unless it is skipped.
  virtual Result<skl_result> now(size_t position, HeldBlock& block) = 0;
  // Notes that the block won't be requested in its turn.
  virtual void skip(size_t position) = 0;
  // Opens the next pack of the plan. Returns SKL_OK once it is open, SKL_WOULD_BLOCK, or the error
  // that prevents opening it. A pack that isn't needed yet is opened early only if that keeps the
  // disk busy.
  virtual Result<skl_result> open_next(bool is_needed) = 0;
  // Called after the plan has grown. Throws std::bad_alloc; then it is called again.
  virtual void fit_plan() {}
};

// Returns how many buffers one block takes while it is read.
inline uint32_t buffers_for(const Pack& pack) {
  return pack.has_compressed_blocks() ? 2 : 1;
}

// Makes a feed that reads forward on the caller's thread, one block at a time, and tells the system
// which blocks follow.
Owned<BlockFeed> make_direct_feed(const SweepPlan& plan, BlockPool& pool);

}  // namespace seekless::runtime
