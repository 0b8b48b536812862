// The memory that blocks are read into: bounded, counted, given back by its last holder. What is
// given back is kept for its next use, so that reading on and on takes no more from the allocator.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "runtime/memory.h"

namespace seekless::runtime {

class BlockPool;

// A page-aligned piece of memory with a count of its holders.
class BlockBuffer {
 public:
  std::span<std::byte> bytes() const { return {bytes_, size_bytes_}; }
  void retain() { holders_.fetch_add(1, std::memory_order_relaxed); }
  // The last release gives the memory back to the pool, which must still exist.
  void release();
  // Takes it out of the pool's budget; once, for all holders.
  void claim();

 private:
  friend class BlockPool;
  BlockBuffer(BlockPool& pool, size_t size_bytes);
  ~BlockBuffer();

  BlockPool& pool_;
  std::byte* bytes_;
  size_t size_bytes_;
  std::atomic<uint32_t> holders_ = 1;
  bool is_claimed_ = false;              // under the pool's lock
  BlockBuffer* next_waiting_ = nullptr;  // likewise
};

struct ReleaseBlock {
  void operator()(BlockBuffer* buffer) const { buffer->release(); }
};
using Buffer = std::unique_ptr<BlockBuffer, ReleaseBlock>;

// Reads into blocks of the pool. The caller may hold a lock of its own: neither function may wait
// for a lock under which blocks are acquired or released.
class BlockUser {
 public:
  virtual void memory_is_free() = 0;  // after it was used up: some was given back
  virtual void give_up_ahead() = 0;   // for others: give back what nobody waits for yet

 protected:
  ~BlockUser() = default;
};

class BlockPool {
 public:
  explicit BlockPool(uint64_t budget_bytes, const Memory& memory = Memory())
      : budget_bytes_(budget_bytes), memory_(memory) {}
  // No buffer may be held any more.
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  uint64_t budget_bytes() const { return budget_bytes_; }
  // By buffers that are held or kept for their next use.
  uint64_t used_bytes() const;
  uint64_t peak_used_bytes() const;
  void reset_peak();

  // Fills all of `out` with buffers of one holder each. False, and fills none, if the budget has no
  // room for all of them; then users are told when some of it is free again. A call that gets none
  // takes none for a while either, so it tells nobody. Throws std::bad_alloc.
  bool acquire(size_t size_bytes, std::span<Buffer> out);
  // Asks the users but `except` to give up what they read ahead, and tries again.
  bool acquire_urgently(size_t size_bytes, std::span<Buffer> out, const BlockUser* except);
  // One, or null.
  BlockBuffer* acquire(size_t size_bytes);
  BlockBuffer* acquire_urgently(size_t size_bytes, const BlockUser* except);

  void add_user(BlockUser& user);
  void remove_user(BlockUser& user);

 private:
  friend class BlockBuffer;
  // What was taken under the lock, for work that is done after it is released.
  struct Taken {
    BlockBuffer* reused = nullptr;   // in a row
    BlockBuffer* dropped = nullptr;  // likewise
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
  // Held for a few instructions; never while anything is allocated, freed or told.
  mutable std::mutex mutex_;
  uint64_t held_bytes_ = 0;  // of the budget, by those who have a buffer or are about to
  uint64_t used_bytes_ = 0;  // and by those that wait
  uint64_t peak_used_bytes_ = 0;
  BlockBuffer* waiting_ = nullptr;  // the latest first
  bool is_short_ = false;           // somebody went without
  // Recursive: what one gives up is told to the others.
  std::recursive_mutex users_mutex_;
  Vector<BlockUser*> users_{memory_};
};

}  // namespace seekless::runtime
