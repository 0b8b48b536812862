#include "runtime/block_pool.h"

#include <algorithm>
#include <new>

#include "runtime/pack_format.h"

namespace seekless::runtime {

BlockBuffer::BlockBuffer(BlockPool& pool, size_t size_bytes)
    : pool_(pool),
      bytes_(static_cast<std::byte*>(pool.memory_.allocate(size_bytes, format::kPageBytes))),
      size_bytes_(size_bytes) {}

BlockBuffer::~BlockBuffer() {
  pool_.memory_.release(bytes_, size_bytes_);
}

void BlockBuffer::release() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) pool_.give_back(this);
}

void BlockBuffer::claim() {
  if (is_claimed_.exchange(true, std::memory_order_acq_rel)) return;
  pool_.used_bytes_.fetch_sub(size_bytes_, std::memory_order_relaxed);
  pool_.tell_users();
}

BlockPool::~BlockPool() {
  while (drop_one_waiting()) {
  }
}

BlockBuffer* BlockPool::take_waiting(size_t size_bytes) {
  for (auto& place : waiting_) {
    BlockBuffer* buffer = place.exchange(nullptr, std::memory_order_acquire);
    if (buffer == nullptr) continue;
    if (buffer->size_bytes_ == size_bytes) {
      buffer->holders_.store(1, std::memory_order_relaxed);
      return buffer;
    }
    give_back(buffer);  // of another pack's block size
  }
  return nullptr;
}

bool BlockPool::drop_one_waiting() {
  for (auto& place : waiting_)
    if (BlockBuffer* buffer = place.exchange(nullptr, std::memory_order_acquire)) {
      destroy(buffer);
      return true;
    }
  return false;
}

bool BlockPool::reserve(size_t size_bytes) {
  if (size_bytes > budget_bytes_) return false;
  uint64_t used = used_bytes_.load(std::memory_order_relaxed);
  do {
    while (used > budget_bytes_ - size_bytes) {
      if (!drop_one_waiting()) return false;
      used = used_bytes_.load(std::memory_order_relaxed);
    }
  } while (!used_bytes_.compare_exchange_weak(used, used + size_bytes, std::memory_order_relaxed));
  uint64_t peak = peak_used_bytes_.load(std::memory_order_relaxed);
  while (peak < used + size_bytes && !peak_used_bytes_.compare_exchange_weak(
                                         peak, used + size_bytes, std::memory_order_relaxed)) {
  }
  return true;
}

BlockBuffer* BlockPool::try_acquire(size_t size_bytes) {
  if (BlockBuffer* buffer = take_waiting(size_bytes)) return buffer;
  if (!reserve(size_bytes)) return nullptr;
  try {
    return new BlockBuffer(*this, size_bytes);
  } catch (...) {
    used_bytes_.fetch_sub(size_bytes, std::memory_order_relaxed);
    throw;
  }
}

BlockBuffer* BlockPool::acquire(size_t size_bytes) {
  if (BlockBuffer* buffer = try_acquire(size_bytes)) return buffer;
  // What was given back before this was said is found now, what is given back later is told.
  is_short_.store(true);
  return try_acquire(size_bytes);
}

BlockBuffer* BlockPool::acquire_urgently(size_t size_bytes, const BlockUser* except) {
  if (BlockBuffer* buffer = acquire(size_bytes)) return buffer;
  {
    const std::lock_guard lock(users_mutex_);
    for (BlockUser* user : users_)
      if (user != except) user->give_up_ahead();
  }
  return acquire(size_bytes);
}

void BlockPool::add_user(BlockUser& user) {
  const std::lock_guard lock(users_mutex_);
  users_.push_back(&user);
}

void BlockPool::remove_user(BlockUser& user) {
  const std::lock_guard lock(users_mutex_);
  std::erase(users_, &user);
}

void BlockPool::tell_users() {
  if (!is_short_.load() || !is_short_.exchange(false)) return;
  const std::lock_guard lock(users_mutex_);
  for (BlockUser* user : users_) user->memory_is_free();
}

void BlockPool::give_back(BlockBuffer* buffer) {
  if (buffer->is_claimed_.load(std::memory_order_acquire)) {
    delete buffer;
    return;
  }
  const bool waits = std::ranges::any_of(waiting_, [&](auto& place) {
    BlockBuffer* none = nullptr;
    return place.compare_exchange_strong(none, buffer);
  });
  if (!waits) destroy(buffer);
  tell_users();
}

void BlockPool::destroy(BlockBuffer* buffer) {
  used_bytes_.fetch_sub(buffer->size_bytes_, std::memory_order_relaxed);
  delete buffer;
}

}  // namespace seekless::runtime
