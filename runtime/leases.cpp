#include "runtime/leases.h"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

#include "runtime/core.h"
#include "runtime/heap_sort.h"

namespace seekless::runtime {

void Lease::release() {
  if (core->fork_mark.is_forked()) return;
  if (holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // Keeps the core alive until this returns: the record lies in the core's memory.
  const std::shared_ptr<Core> keeps = std::move(core);
  const Buffer held(buffer);
  const MountPointer mapped = std::move(mount);
  keeps->leases.forget(*this);
}

Leases::~Leases() {
  for (Shard& shard : shards_)
    while (shard.chunks != nullptr) {
      Chunk* const chunk = std::exchange(shard.chunks, shard.chunks->next);
      chunk->~Chunk();
      memory_.release(chunk, sizeof(Chunk));
    }
}

Lease* Leases::take() {
  const size_t number = std::hash<std::thread::id>()(std::this_thread::get_id()) % shards_.size();
  Shard& shard = shards_[number];
  const std::lock_guard lock(shard.mutex);
  if (shard.free == nullptr) {
    auto* const chunk = new (memory_.allocate(sizeof(Chunk), alignof(Chunk))) Chunk;
    chunk->next = std::exchange(shard.chunks, chunk);
    for (Lease& lease : chunk->leases) {
      lease.shard = number;
      lease.next = std::exchange(shard.free, &lease);
    }
  }
  return std::exchange(shard.free, shard.free->next);
}

void Leases::put_back(Lease* unused) {
  Shard& shard = shards_[unused->shard];
  const std::lock_guard lock(shard.mutex);
  unused->next = std::exchange(shard.free, unused);
}

void Leases::begin(Lease& lease, std::shared_ptr<Core> core, BlockBuffer* buffer, skl_asset asset,
                   uint64_t size_bytes, MountPointer mount) {
  lease.holders.store(1, std::memory_order_relaxed);
  lease.buffer = buffer;
  lease.mount = std::move(mount);
  lease.asset = asset;
  lease.size_bytes = size_bytes;
  lease.since_us = now_us();
  lease.core = std::move(core);
  lease.previous = nullptr;
  leased_bytes_.fetch_add(size_bytes, std::memory_order_relaxed);
  Shard& shard = shards_[lease.shard];
  const std::lock_guard lock(shard.mutex);
  lease.next = std::exchange(shard.first, &lease);
  if (lease.next != nullptr) lease.next->previous = &lease;
}

void Leases::forget(Lease& lease) {
  leased_bytes_.fetch_sub(lease.size_bytes, std::memory_order_relaxed);
  Shard& shard = shards_[lease.shard];
  const std::lock_guard lock(shard.mutex);
  (lease.previous != nullptr ? lease.previous->next : shard.first) = lease.next;
  if (lease.next != nullptr) lease.next->previous = lease.previous;
  lease.next = std::exchange(shard.free, &lease);
}

Vector<Leases::Pin> Leases::pins() const {
  Vector<Pin> pins(memory_);
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const Lease* lease = shard.first; lease != nullptr; lease = lease->next)
      pins.push_back({lease->asset, lease->size_bytes, lease->since_us});
  }
  heap_sort(pins, &Pin::asset);
  size_t count = 0;
  for (const Pin& pin : pins) {
    if (count == 0 || pins[count - 1].asset != pin.asset) {
      pins[count++] = pin;
      continue;
    }
    pins[count - 1].size_bytes += pin.size_bytes;
    pins[count - 1].since_us = std::min(pins[count - 1].since_us, pin.since_us);
  }
  pins.resize(count);
  return pins;
}

}  // namespace seekless::runtime
