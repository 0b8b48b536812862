#include "runtime/leases.h"

#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "runtime/core.h"

namespace seekless::runtime {

void Lease::release() {
  if (holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // The record lies in what it keeps alive.
  const std::shared_ptr<Core> keeps = std::move(core);
  BlockBuffer* const held = buffer;
  keeps->leases.forget(*this);
  held->release();
}

Lease* Leases::make(std::shared_ptr<Core> core, BlockBuffer* buffer, skl_asset asset,
                    uint64_t size_bytes) {
  std::unique_ptr<BlockBuffer, ReleaseBlock> held(buffer);
  const size_t number = std::hash<std::thread::id>()(std::this_thread::get_id()) % shards_.size();
  Shard& shard = shards_[number];
  const std::lock_guard lock(shard.mutex);
  if (shard.free == nullptr) {
    shard.chunks.push_back(std::make_unique<std::array<Lease, 64>>());
    for (Lease& lease : *shard.chunks.back()) lease.next = std::exchange(shard.free, &lease);
  }
  Lease* const lease = std::exchange(shard.free, shard.free->next);
  lease->holders.store(1, std::memory_order_relaxed);
  lease->buffer = held.release();
  lease->asset = asset;
  lease->size_bytes = size_bytes;
  lease->since_us = now_us();
  lease->core = std::move(core);
  lease->shard = number;
  lease->previous = nullptr;
  lease->next = std::exchange(shard.first, lease);
  if (lease->next != nullptr) lease->next->previous = lease;
  leased_bytes_.fetch_add(size_bytes, std::memory_order_relaxed);
  return lease;
}

void Leases::forget(Lease& lease) {
  leased_bytes_.fetch_sub(lease.size_bytes, std::memory_order_relaxed);
  Shard& shard = shards_[lease.shard];
  const std::lock_guard lock(shard.mutex);
  (lease.previous != nullptr ? lease.previous->next : shard.first) = lease.next;
  if (lease.next != nullptr) lease.next->previous = lease.previous;
  lease.next = std::exchange(shard.free, &lease);
}

std::vector<Leases::Pin> Leases::pins() const {
  std::map<skl_asset, Pin> by_asset;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const Lease* lease = shard.first; lease != nullptr; lease = lease->next) {
      Pin& pin = by_asset.try_emplace(lease->asset, lease->asset, 0, lease->since_us).first->second;
      pin.size_bytes += lease->size_bytes;
      pin.since_us = std::min(pin.since_us, lease->since_us);
    }
  }
  std::vector<Pin> pins;
  for (const auto& [asset, pin] : by_asset) pins.push_back(pin);
  return pins;
}

}  // namespace seekless::runtime
