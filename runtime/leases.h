// Keeps a record of each lease that callers hold, for skl_stats_pins.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/block_pool.h"
#include "runtime/include/seekless.h"
#include "runtime/memory.h"
#include "runtime/mount.h"

namespace seekless::runtime {

struct Core;
class Leases;

// The record of a lease; skl_lease::block points to it.
struct Lease {
  std::atomic<uint32_t> holders = 0;
  BlockBuffer* buffer = nullptr;  // null if the bytes lie in a mapped file
  MountPointer mount;             // keeps that file mapped
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
  uint64_t since_us = 0;
  std::shared_ptr<Core> core;  // outlives its context while there is a lease
  Lease* previous = nullptr;
  Lease* next = nullptr;
  size_t shard = 0;

  void retain() { holders.fetch_add(1, std::memory_order_relaxed); }
  void release();
};

class Leases {
 public:
  explicit Leases(const Memory& memory) : memory_(memory) {}
  // All records must have been returned.
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  // Returns a record for a later begin(). Call this before taking the block, or the block would be
  // lost if there is no memory for the record. Throws std::bad_alloc.
  Lease* take();
  void put_back(Lease* unused);
  // Takes over the hold on `buffer`, or on the mount whose file is mapped.
  void begin(Lease& lease, std::shared_ptr<Core> core, BlockBuffer* buffer, skl_asset asset,
             uint64_t size_bytes, MountPointer mount = {});
  uint64_t leased_bytes() const { return leased_bytes_.load(std::memory_order_relaxed); }
  struct Pin {
    skl_asset asset;
    uint64_t size_bytes;
    uint64_t since_us;
  };
  // Adds up all leases of each asset.
  Vector<Pin> pins() const;

 private:
  friend struct Lease;
  void forget(Lease& lease);

  struct Chunk {
    std::array<Lease, 64> leases;
    Chunk* next = nullptr;
  };
  // Concurrent threads mostly use different shards.
  struct Shard {
    mutable std::mutex mutex;
    Lease* first = nullptr;
    Lease* free = nullptr;
    Chunk* chunks = nullptr;
  };
  const Memory memory_;
  std::array<Shard, 16> shards_;
  std::atomic<uint64_t> leased_bytes_ = 0;
};

}  // namespace seekless::runtime
