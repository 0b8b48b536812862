#include "runtime/leases.h"

#include <algorithm>
#include <utility>

#include "runtime/core.h"
#include "runtime/heap_sort.h"

namespace seekless::runtime {

void Lease::release() {
  if (core->fork_mark.is_forked()) return;
  // The only holder needs no atomic write, since nobody else may retain.
  if (holders.load(std::memory_order_acquire) != 1 &&
      holders.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  core->leases.end(*this);
}

Leases::~Leases() {
  for (Shard& shard : shards_)
    while (shard.chunks != nullptr) {
      Chunk* const chunk = std::exchange(shard.chunks, shard.chunks->next);
      chunk->~Chunk();
      memory_.release(chunk, sizeof(Chunk));
    }
}

Leases::Shard& Leases::shard_of_thread() {
  return shards_[number_of_thread() % shards_.size()];
}

Lease& Leases::take_from(Shard& shard) {
  if (shard.free == nullptr) {
    auto* const chunk = new (memory_.allocate(sizeof(Chunk), alignof(Chunk))) Chunk;
    chunk->next = std::exchange(shard.chunks, chunk);
    for (Lease& lease : chunk->leases) {
      lease.shard = static_cast<size_t>(&shard - shards_.data());
      lease.next = std::exchange(shard.free, &lease);
    }
  }
  return *std::exchange(shard.free, shard.free->next);
}

Lease* Leases::take() {
  Shard& shard = shard_of_thread();
  const std::lock_guard lock(shard.mutex);
  return &take_from(shard);
}

void Leases::put_back(Lease* unused) {
  Shard& shard = shards_[unused->shard];
  const std::lock_guard lock(shard.mutex);
  unused->next = std::exchange(shard.free, unused);
}

void Leases::add(Shard& shard, Lease& lease, skl_asset asset, uint64_t size_bytes,
                 uint64_t since_us) {
  lease.holders.store(1, std::memory_order_relaxed);
  lease.asset = asset;
  lease.size_bytes = size_bytes;
  lease.since_us = since_us;
  lease.previous = nullptr;
  lease.next = std::exchange(shard.first, &lease);
  if (lease.next != nullptr) lease.next->previous = &lease;
  shard.leased_bytes += size_bytes;
}

void Leases::begin(Lease& lease, const std::shared_ptr<Core>& core, BlockBuffer* buffer,
                   skl_asset asset, uint64_t size_bytes) {
  lease.buffer = buffer;
  lease.mount = nullptr;
  lease.core = core.get();
  lease.own_core = core;
  const uint64_t now = now_us();
  Shard& shard = shards_[lease.shard];
  const std::lock_guard lock(shard.mutex);
  add(shard, lease, asset, size_bytes, now);
}

Lease* Leases::lend(Core& core, const Mount& mount, skl_asset asset, uint64_t size_bytes,
                    uint64_t since_us) {
  Shard& shard = shard_of_thread();
  const std::lock_guard lock(shard.mutex);
  Lease& lease = take_from(shard);
  lease.buffer = nullptr;
  lease.mount = &mount;
  lease.core = &core;
  add(shard, lease, asset, size_bytes, since_us);
  return &lease;
}

void Leases::hand_over(const MountPointer& mount, const std::shared_ptr<Core>& core) {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (Lease* lease = shard.first; lease != nullptr; lease = lease->next) {
      if (lease->mount != mount.get()) continue;
      lease->own_mount = mount;
      lease->own_core = core;
    }
  }
}

void Leases::end(Lease& lease) {
  // These are destroyed after the lock: it lies in the core, as does the buffer's pool.
  std::shared_ptr<Core> core;
  const Buffer buffer(lease.buffer);
  MountPointer mount;
  Shard& shard = shards_[lease.shard];
  const std::lock_guard lock(shard.mutex);
  core = std::move(lease.own_core);
  mount = std::move(lease.own_mount);
  shard.leased_bytes -= lease.size_bytes;
  lease.holders.store(0, std::memory_order_relaxed);  // a second release then does nothing
  (lease.previous != nullptr ? lease.previous->next : shard.first) = lease.next;
  if (lease.next != nullptr) lease.next->previous = lease.previous;
  lease.next = std::exchange(shard.free, &lease);
}

uint64_t Leases::leased_bytes() const {
  uint64_t bytes = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    bytes += shard.leased_bytes;
  }
  return bytes;
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
