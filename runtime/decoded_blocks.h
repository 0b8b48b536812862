// Keeps the latest few compressed blocks that were decoded for single assets, because an asset's
// neighbours are often wanted soon after it. Their memory counts in the budget, and is given up
// when others need it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/block_pool.h"
#include "runtime/watch.h"

namespace seekless::runtime {

// Any thread may call any function.
class DecodedBlocks final : private BlockUser {
 public:
  // Throws std::bad_alloc. The pool must outlive it.
  explicit DecodedBlocks(BlockPool& pool);
  ~DecodedBlocks();
  DecodedBlocks(const DecodedBlocks&) = delete;
  DecodedBlocks& operator=(const DecodedBlocks&) = delete;

  BlockPool& pool() const { return pool_; }

  // Returns a block by its pack's id and its number, or null if its first `raw_bytes` aren't here.
  // Sets `was_short` if fewer of them are here; such a block is often read in parts.
  Buffer find(uint64_t pack, uint32_t block, uint64_t raw_bytes, bool& was_short);
  // Keeps the block, in place of the least recently used one.
  void keep(uint64_t pack, uint32_t block, uint64_t raw_bytes, Buffer decoded);

  // bytes copied from these blocks into callers' memory
  Count copied_bytes = 0;

 private:
  static constexpr size_t kMost = 16;
  struct Entry {
    uint64_t pack = 0;
    uint32_t block = 0;
    uint64_t raw_bytes = 0;  // decoded so far, from the front
    uint64_t used_at = 0;    // the value of uses_ at its latest use
    Buffer buffer;
  };

  void memory_is_free() override {}
  void give_up_ahead() override;

  BlockPool& pool_;
  std::mutex mutex_;  // never held while a buffer is acquired or released
  uint64_t uses_ = 0;
  std::array<Entry, kMost> entries_;
};

}  // namespace seekless::runtime
