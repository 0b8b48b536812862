// The memory that blocks are read into: bounded, counted, given back by whoever holds it last.
// No lock as long as there is enough: buffers wait for their next use in a few atomic places.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

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
  std::atomic<bool> is_claimed_ = false;
};

struct ReleaseBlock {
  void operator()(BlockBuffer* buffer) const { buffer->release(); }
};

// Somebody who reads into blocks of the pool. Called while others hold locks of theirs: neither
// function may wait for a lock under which blocks are acquired or released.
class BlockUser {
 public:
  virtual void memory_is_free() = 0;  // there was too little, and some was given back
  virtual void give_up_ahead() = 0;   // others have nothing: give back what nobody waits for yet

 protected:
  ~BlockUser() = default;
};

class BlockPool {
 public:
  explicit BlockPool(uint64_t budget_bytes, const Memory& memory = Memory())
      : budget_bytes_(budget_bytes), memory_(memory) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  uint64_t budget_bytes() const { return budget_bytes_; }
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  uint64_t peak_used_bytes() const { return peak_used_bytes_.load(std::memory_order_relaxed); }
  void reset_peak() { peak_used_bytes_.store(used_bytes(), std::memory_order_relaxed); }

  // A buffer with one holder, or null when the budget is used up; then users are told when some of
  // it is free again. Throws std::bad_alloc.
  BlockBuffer* acquire(size_t size_bytes);
  // Asks the users but `except` to give up what they read ahead, and tries again.
  BlockBuffer* acquire_urgently(size_t size_bytes, const BlockUser* except);

  void add_user(BlockUser& user);
  void remove_user(BlockUser& user);

 private:
  friend class BlockBuffer;
  BlockBuffer* try_acquire(size_t size_bytes);
  BlockBuffer* take_waiting(size_t size_bytes);
  bool reserve(size_t size_bytes);
  bool drop_one_waiting();
  void give_back(BlockBuffer* buffer);
  void destroy(BlockBuffer* buffer);
  void tell_users();

  const uint64_t budget_bytes_;
  const Memory memory_;
  std::atomic<uint64_t> used_bytes_ = 0;  // by buffers held and waiting
  std::atomic<uint64_t> peak_used_bytes_ = 0;
  std::array<std::atomic<BlockBuffer*>, 16> waiting_ = {};
  std::atomic<bool> is_short_ = false;  // somebody went without
  // Recursive: what one gives up is told to the others.
  std::recursive_mutex users_mutex_;
  std::vector<BlockUser*> users_;
};

}  // namespace seekless::runtime
