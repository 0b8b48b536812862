// Compressed blocks that were decoded for single assets, the latest few: what lies beside an asset
// is often wanted soon after it. Their memory is the budget's, and goes to whoever needs it more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/block_pool.h"
#include "runtime/watch.h"

namespace seekless::runtime {

// Every function is safe from any thread.
class DecodedBlocks final : private BlockUser {
 public:
  // Throws std::bad_alloc. The pool must outlive it.
  explicit DecodedBlocks(BlockPool& pool);
  ~DecodedBlocks();
  DecodedBlocks(const DecodedBlocks&) = delete;
  DecodedBlocks& operator=(const DecodedBlocks&) = delete;

  BlockPool& pool() const { return pool_; }

  // A block by its pack's id and its number; null if its first `raw_bytes` aren't here.
  // `was_short`: fewer of them are, so that reading this block in parts has become a habit.
  Buffer find(uint64_t pack, uint32_t block, uint64_t raw_bytes, bool& was_short);
  // Keeps it in place of the one that was wanted longest ago.
  void keep(uint64_t pack, uint32_t block, uint64_t raw_bytes, Buffer decoded);

  // Out of them, into callers' memory.
  Count copied_bytes = 0;

 private:
  static constexpr size_t kMost = 16;
  struct Entry {
    uint64_t pack = 0;
    uint32_t block = 0;
    uint64_t raw_bytes = 0;  // decoded, from the front on
    uint64_t used_at = 0;    // on uses_
    Buffer buffer;
  };

  void memory_is_free() override {}
  void give_up_ahead() override;

  BlockPool& pool_;
  std::mutex mutex_;  // no buffer is acquired or released under it
  uint64_t uses_ = 0;
  std::array<Entry, kMost> entries_;
};

}  // namespace seekless::runtime
