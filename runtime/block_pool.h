// The memory that blocks are read into: bounded, counted, given back by whoever holds it last.
// No lock: buffers wait for their next use in a few atomic places.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace seekless::runtime {

class BlockPool;

// A page-aligned piece of memory with a count of its holders.
class BlockBuffer {
 public:
  std::span<std::byte> bytes() const { return {bytes_, size_bytes_}; }
  void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
  // The last release gives the memory back to the pool, which must still exist.
  void release();

 private:
  friend class BlockPool;
  BlockBuffer(BlockPool& pool, size_t size_bytes);
  ~BlockBuffer();

  BlockPool& pool_;
  std::byte* bytes_;
  size_t size_bytes_;
  std::atomic<uint32_t> holders_ = 1;
};

class BlockPool {
 public:
  explicit BlockPool(uint64_t budget_bytes) : budget_bytes_(budget_bytes) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  uint64_t budget_bytes() const { return budget_bytes_; }
  // A buffer with one holder, or null when the budget is used up. Throws std::bad_alloc.
  BlockBuffer* acquire(size_t size_bytes);

 private:
  friend class BlockBuffer;
  void give_back(BlockBuffer* buffer);
  void destroy(BlockBuffer* buffer);

  const uint64_t budget_bytes_;
  std::atomic<uint64_t> used_bytes_ = 0;  // by buffers held and waiting
  std::array<std::atomic<BlockBuffer*>, 16> waiting_ = {};
};

}  // namespace seekless::runtime
