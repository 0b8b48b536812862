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
#include "runtime/thread.h"

namespace seekless::runtime {

struct Core;
class Leases;

// The record of a lease; skl_lease::block points to it.
struct Lease {
  std::atomic<uint32_t> holders = 0;
  BlockBuffer* buffer = nullptr;  // null if the bytes lie in a mapped file
  const Mount* mount = nullptr;   // has that file
  Core* core = nullptr;
  skl_asset asset = 0;
  uint64_t size_bytes = 0;
  uint64_t since_us = 0;
  // Keep the mount and the core alive; null while the lease borrows them.
  MountPointer own_mount;
  std::shared_ptr<Core> own_core;
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
  // Takes over the hold on `buffer`.
  void begin(Lease& lease, const std::shared_ptr<Core>& core, BlockBuffer* buffer, skl_asset asset,
             uint64_t size_bytes);
  // Begins a lease on bytes that `mount` has mapped. It borrows the mount and the core, which the
  // name space holds: if leases counted as holders, all threads would write the same cache lines.
  // Call this within NameSpace::with. Throws std::bad_alloc.
  Lease* lend(Core& core, const Mount& mount, skl_asset asset, uint64_t size_bytes,
              uint64_t since_us);
  // Makes the leases that borrow `mount` hold it and the core. Call this before the name space
  // gives up the mount, and when nobody can lend it any longer.
  void hand_over(const MountPointer& mount, const std::shared_ptr<Core>& core);
  uint64_t leased_bytes() const;
  struct Pin {
    skl_asset asset;
    uint64_t size_bytes;
    uint64_t since_us;
  };
  // Adds up all leases of each asset.
  Vector<Pin> pins() const;

 private:
  friend struct Lease;
  void end(Lease& lease);

  struct alignas(kUnsharedBytes) Chunk {
    std::array<Lease, 64> leases;
    Chunk* next = nullptr;
  };
  // Each of 16 threads has its own.
  struct alignas(kUnsharedBytes) Shard {
    mutable std::mutex mutex;
    Lease* first = nullptr;
    Lease* free = nullptr;
    Chunk* chunks = nullptr;
    uint64_t leased_bytes = 0;
  };
  Shard& shard_of_thread();
  // Both require the lock.
  Lease& take_from(Shard& shard);
  static void add(Shard& shard, Lease& lease, skl_asset asset, uint64_t size_bytes,
                  uint64_t since_us);

  const Memory memory_;
  std::array<Shard, 16> shards_;
};

}  // namespace seekless::runtime
