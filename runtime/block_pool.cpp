#include "runtime/block_pool.h"

#include <cstdlib>
#include <new>

#include "runtime/pack_format.h"

namespace seekless::runtime {

BlockBuffer::BlockBuffer(BlockPool& pool, size_t size_bytes)
    : pool_(pool),
      bytes_(static_cast<std::byte*>(std::aligned_alloc(format::kPageBytes, size_bytes))),
      size_bytes_(size_bytes) {
  if (bytes_ == nullptr) throw std::bad_alloc();
}

BlockBuffer::~BlockBuffer() {
  std::free(bytes_);
}

void BlockBuffer::release() {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) pool_.give_back(this);
}

BlockPool::~BlockPool() {
  for (auto& place : waiting_)
    if (BlockBuffer* buffer = place.exchange(nullptr)) destroy(buffer);
}

BlockBuffer* BlockPool::acquire(size_t size_bytes) {
  for (auto& place : waiting_) {
    BlockBuffer* buffer = place.exchange(nullptr, std::memory_order_acquire);
    if (buffer == nullptr) continue;
    if (buffer->size_bytes_ == size_bytes) {
      buffer->holders_.store(1, std::memory_order_relaxed);
      return buffer;
    }
    destroy(buffer);  // of another pack's block size
  }
  uint64_t used = used_bytes_.load(std::memory_order_relaxed);
  do {
    if (size_bytes > budget_bytes_ || used > budget_bytes_ - size_bytes) return nullptr;
  } while (!used_bytes_.compare_exchange_weak(used, used + size_bytes, std::memory_order_relaxed));
  try {
    return new BlockBuffer(*this, size_bytes);
  } catch (...) {
    used_bytes_.fetch_sub(size_bytes, std::memory_order_relaxed);
    throw;
  }
}

void BlockPool::give_back(BlockBuffer* buffer) {
  for (auto& place : waiting_) {
    BlockBuffer* none = nullptr;
    if (place.compare_exchange_strong(none, buffer, std::memory_order_release)) return;
  }
  destroy(buffer);
}

void BlockPool::destroy(BlockBuffer* buffer) {
  used_bytes_.fetch_sub(buffer->size_bytes_, std::memory_order_relaxed);
  delete buffer;
}

}  // namespace seekless::runtime
