// What the queues, sweeps, prefetches and leases of a context share. They keep it alive, so that
// they can outlive the context and still be ended in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "runtime/block_pool.h"
#include "runtime/decoded_blocks.h"
#include "runtime/leases.h"
#include "runtime/memory.h"
#include "runtime/node_pool.h"
#include "runtime/scheduler.h"
#include "runtime/watch.h"
#include "runtime/workers.h"

namespace seekless::runtime {

class Prefetch;

// What has reads outstanding, and ends them when the context goes.
class Closable {
 public:
  // No read of it is outstanding when this returns, and no mount is held.
  virtual void close() = 0;

 protected:
  ~Closable() = default;
};

// What an open sweep brings, for the canary.
class SweptAssets {
 public:
  virtual bool brings(skl_asset asset) const = 0;

 protected:
  ~SweptAssets() = default;
};

struct Core {
  // The options are whole.
  Core(const skl_context_options& options, const Memory& for_blocks, uint64_t budget_bytes);
  ~Core();

  // Ends everything; for when the context goes.
  void close();
  bool is_closed() const { return is_closed_.load(std::memory_order_acquire); }
  void add(Closable& one);
  void remove(Closable& one);

  void sweep_opens(const SweptAssets& sweep);
  void sweep_closes(const SweptAssets& sweep);
  // Sings if sweeps are open and none brings the asset. Without memory to know that, it doesn't.
  void note_request(skl_asset asset) noexcept;

  const Memory memory;
  Watch watch;
  BlockPool pool;
  DecodedBlocks decoded;
  Leases leases;
  Workers workers;
  Schedulers schedulers;
  std::mutex prefetching;
  std::map<uint64_t, std::unique_ptr<Prefetch>> prefetches;  // by ticket
  uint64_t next_ticket = 1;

 private:
  std::atomic<bool> is_closed_ = false;
  std::mutex closing_;
  Vector<Closable*> open_;
  std::atomic<uint32_t> sweep_count_ = 0;
  std::mutex sweeping_;
  Vector<const SweptAssets*> sweeps_;
  NodePool sung_nodes_;
  // Of requests outside the sweeps that are open.
  std::set<skl_asset, std::less<>, NodeAllocator<skl_asset>> sung_{sung_nodes_};
};

}  // namespace seekless::runtime
