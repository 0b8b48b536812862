// The memory that blocks are read into. It has a budget. The last holder of a buffer returns it to
// the pool, which keeps it for reuse, so continuous reading allocates nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "runtime/memory.h"

namespace seekless::runtime {

class BlockPool;

// A page-aligned piece of memory that counts its holders.
class BlockBuffer {
 public:
  std::span<std::byte> bytes() const { return {bytes_, size_bytes_}; }
  void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
  // The last release returns the memory to the pool, which must still exist.
  void release();
  // Takes the buffer out of the pool's budget, once for all its holders.
  void claim();

 private:
  friend class BlockPool;
  BlockBuffer(BlockPool& pool, size_t size_bytes);
  ~BlockBuffer();

  BlockPool& pool_;
  std::byte* bytes_;
  size_t size_bytes_;
  std::atomic<uint32_t> holders_ = 1;
  bool is_claimed_ = false;              // the pool's lock guards it
  BlockBuffer* next_waiting_ = nullptr;  // the pool's lock guards it
};

struct ReleaseBlock {
  void operator()(BlockBuffer* buffer) const { buffer->release(); }
};
using Buffer = std::unique_ptr<BlockBuffer, ReleaseBlock>;

// Reads into blocks of the pool. The pool may call these functions while its caller holds a lock,
// so neither may wait for a lock under which blocks are acquired or released.
class BlockUser {
 public:
  virtual void memory_is_free() = 0;  // memory was released after a shortage
  // Called when other users need memory: releases blocks that no caller waits for yet.
  virtual void give_up_ahead() = 0;

 protected:
  ~BlockUser() = default;
};

class BlockPool {
 public:
  // The budget is limited to what a 32-bit process can address, so that buffer sizes fit in a
  // size_t.
  explicit BlockPool(uint64_t budget_bytes, const Memory& memory = Memory())
      : budget_bytes_(std::min<uint64_t>(budget_bytes, PTRDIFF_MAX)), memory_(memory) {}
  // All buffers must have been released.
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  uint64_t budget_bytes() const { return budget_bytes_; }
  // Counts buffers that are held and buffers that are kept for reuse.
  uint64_t used_bytes() const;
  uint64_t peak_used_bytes() const;
  void reset_peak();

  // Fills all of `out` with buffers that have one holder each. If the budget has no space for all
  // of them, fills none and returns false; memory_is_free() is called when some memory is free
  // again. A failed call takes nothing, not even for a moment, so it doesn't itself cause a call of
  // memory_is_free(). Throws std::bad_alloc.
  bool acquire(size_t size_bytes, std::span<Buffer> out);
  // Asks all users but `except` to release blocks read ahead, and tries again.
  bool acquire_urgently(size_t size_bytes, std::span<Buffer> out, const BlockUser* except);
  // Returns one buffer; null if there is no space.
  BlockBuffer* acquire(size_t size_bytes);
  BlockBuffer* acquire_urgently(size_t size_bytes, const BlockUser* except);

  void add_user(BlockUser& user);
  void remove_user(BlockUser& user);

 private:
  friend class BlockBuffer;
  // Buffers taken under the lock, for the work that follows its release.
  struct Taken {
    BlockBuffer* reused = nullptr;   // the first of a linked list
    BlockBuffer* dropped = nullptr;  // the first of a linked list
    size_t missing = 0;              // buffers that are still to be allocated
  };

  bool take(size_t size_bytes, size_t count, Taken& taken);
  BlockBuffer* make(size_t size_bytes);
  void destroy(BlockBuffer* buffer);
  void give_back(BlockBuffer* buffer);
  void claim(BlockBuffer& buffer);
  void give_room_back(uint64_t size_bytes);
  void tell_users();

  const uint64_t budget_bytes_;
  const Memory memory_;
  // Held only for a few instructions; never while memory is allocated or freed, or users are
  // called.
  mutable std::mutex mutex_;
  uint64_t held_bytes_ = 0;  // budget of buffers that are held or about to be held
  uint64_t used_bytes_ = 0;  // held_bytes_ plus the buffers kept for reuse
  uint64_t peak_used_bytes_ = 0;
  BlockBuffer* waiting_ = nullptr;  // a list, the latest first
  bool is_short_ = false;           // a call found too little memory
  // Recursive, because the others are notified when one user releases memory.
  std::recursive_mutex users_mutex_;
  Vector<BlockUser*> users_{memory_};
};

}  // namespace seekless::runtime
