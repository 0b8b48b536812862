#include "runtime/block_pool.h"

#include <algorithm>
#include <new>
#include <utility>

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
  pool_.claim(*this);
}

BlockPool::~BlockPool() {
  while (waiting_ != nullptr) destroy(std::exchange(waiting_, waiting_->next_waiting_));
}

uint64_t BlockPool::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

uint64_t BlockPool::peak_used_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_used_bytes_;
}

void BlockPool::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_used_bytes_ = used_bytes_;
}

// Allocates the header and the bytes, whose share of the budget must already be reserved.
BlockBuffer* BlockPool::make(size_t size_bytes) {
  void* const header = memory_.allocate(sizeof(BlockBuffer), alignof(BlockBuffer));
  try {
    return new (header) BlockBuffer(*this, size_bytes);
  } catch (...) {
    memory_.release(header, sizeof(BlockBuffer));
    throw;
  }
}

void BlockPool::destroy(BlockBuffer* buffer) {
  buffer->~BlockBuffer();
  memory_.release(buffer, sizeof(BlockBuffer));
}

// Reserves space in the budget for all the buffers, or for none. If necessary, drops spare buffers.
// The room counts as used before these are freed, so call `make` only after freeing them.
bool BlockPool::take(size_t size_bytes, size_t count, Taken& taken) {
  const std::lock_guard lock(mutex_);
  if (size_bytes > budget_bytes_ / count || count * size_bytes > budget_bytes_ - held_bytes_) {
    is_short_ = true;
    return false;
  }
  held_bytes_ += count * size_bytes;
  for (BlockBuffer** link = &waiting_; *link != nullptr && count > 0;) {
    BlockBuffer& buffer = **link;
    if (buffer.size_bytes_ != size_bytes) {
      link = &buffer.next_waiting_;
      continue;
    }
    *link = buffer.next_waiting_;
    buffer.next_waiting_ = std::exchange(taken.reused, &buffer);
    --count;
  }
  taken.missing = count;
  used_bytes_ += count * size_bytes;
  while (used_bytes_ > budget_bytes_) {
    BlockBuffer** last = &waiting_;
    while ((*last)->next_waiting_ != nullptr) last = &(*last)->next_waiting_;
    used_bytes_ -= (*last)->size_bytes_;
    (*last)->next_waiting_ = taken.dropped;
    taken.dropped = std::exchange(*last, nullptr);
  }
  peak_used_bytes_ = std::max(peak_used_bytes_, used_bytes_);
  return true;
}

bool BlockPool::acquire(size_t size_bytes, std::span<Buffer> out) {
  Taken taken;
  if (!take(size_bytes, out.size(), taken)) return false;
  while (taken.dropped != nullptr)
    destroy(std::exchange(taken.dropped, taken.dropped->next_waiting_));
  for (Buffer& place : out.first(out.size() - taken.missing)) {
    BlockBuffer* const buffer = std::exchange(taken.reused, taken.reused->next_waiting_);
    buffer->holders_.store(1, std::memory_order_relaxed);
    place.reset(buffer);
  }
  try {
    for (; taken.missing > 0; --taken.missing)
      out[out.size() - taken.missing].reset(make(size_bytes));
  } catch (...) {
    give_room_back(taken.missing * size_bytes);
    for (Buffer& place : out) place.reset();
    throw;
  }
  return true;
}

bool BlockPool::acquire_urgently(size_t size_bytes, std::span<Buffer> out,
                                 const BlockUser* except) {
  if (acquire(size_bytes, out)) return true;
  {
    const std::lock_guard lock(users_mutex_);
    for (BlockUser* user : users_)
      if (user != except) user->give_up_ahead();
  }
  return acquire(size_bytes, out);
}

BlockBuffer* BlockPool::acquire(size_t size_bytes) {
  Buffer one;
  acquire(size_bytes, std::span(&one, 1));
  return one.release();
}

BlockBuffer* BlockPool::acquire_urgently(size_t size_bytes, const BlockUser* except) {
  Buffer one;
  acquire_urgently(size_bytes, std::span(&one, 1), except);
  return one.release();
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
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_short_, false)) return;
  }
  const std::lock_guard lock(users_mutex_);
  for (BlockUser* user : users_) user->memory_is_free();
}

void BlockPool::give_room_back(uint64_t size_bytes) {
  {
    const std::lock_guard lock(mutex_);
    held_bytes_ -= size_bytes;
    used_bytes_ -= size_bytes;
  }
  tell_users();
}

void BlockPool::claim(BlockBuffer& buffer) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(buffer.is_claimed_, true)) return;
  }
  give_room_back(buffer.size_bytes_);
}

void BlockPool::give_back(BlockBuffer* buffer) {
  {
    const std::lock_guard lock(mutex_);
    if (!buffer->is_claimed_) {
      held_bytes_ -= buffer->size_bytes_;
      buffer->next_waiting_ = std::exchange(waiting_, buffer);
      buffer = nullptr;
    }
  }
  if (buffer != nullptr) return destroy(buffer);
  tell_users();
}

}  // namespace seekless::runtime
