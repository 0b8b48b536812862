// Where a sweep's blocks come from: read when they are asked for (verify, the simulator, fuzzers),
// or ahead of that by the scheduler (games).
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
  // The block at `position` of the plan; positions rise. SKL_OK, SKL_WOULD_BLOCK, or an error that
  // says why it can't be read.
  virtual Result<skl_result> next(size_t position, HeldBlock& block) = 0;
  // Reads a block out of turn, once for each part of what is wanted. The block comes again in its
  // turn, unless it is skipped.
  virtual Result<skl_result> now(size_t position, HeldBlock& block) = 0;
  // The block won't be asked for in its turn.
  virtual void skip(size_t position) = 0;
  // Opens the next pack of the plan. SKL_OK: it is open; SKL_WOULD_BLOCK; or an error that says why
  // it can't be opened. One that isn't needed yet is opened where that keeps the disk busy.
  virtual Result<skl_result> open_next(bool is_needed) = 0;
  // The plan has grown. Throws std::bad_alloc; then it is called again.
  virtual void fit_plan() {}
};

// The memory that reading a block takes at once.
inline uint32_t buffers_for(const Pack& pack) {
  return pack.has_compressed_blocks() ? 2 : 1;
}

// Reads on the caller's thread, one block at a time, forward, and tells the system what follows.
Owned<BlockFeed> make_direct_feed(const SweepPlan& plan, BlockPool& pool);

}  // namespace seekless::runtime
