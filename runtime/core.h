// The state that a context's queues, sweeps, prefetches and leases share. They keep it alive, so
// they can outlive the context and be destroyed later.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "runtime/block_pool.h"
#include "runtime/decoded_frames.h"
#include "runtime/event.h"
#include "runtime/fork_mark.h"
#include "runtime/leases.h"
#include "runtime/memory.h"
#include "runtime/node_pool.h"
#include "runtime/scheduler.h"
#include "runtime/watch.h"
#include "runtime/workers.h"

namespace seekless::runtime {

class Prefetch;

// Something with outstanding reads, which end when the context is destroyed.
class Closable {
 public:
  // After this call, none of its reads is outstanding, and it holds no mount.
  virtual void close() = 0;

 protected:
  ~Closable() = default;
};

// Tells which assets an open sweep contains, for SKL_CANARY_OUTSIDE_SWEEP.
class SweptAssets {
 public:
  virtual bool brings(skl_asset asset) const = 0;

 protected:
  ~SweptAssets() = default;
};

struct Core {
  // `options` must have all members set.
  Core(const skl_context_options& options, const Memory& for_blocks, uint64_t budget_bytes);
  ~Core();

  // Ends all reads; called when the context is destroyed.
  void close();
  bool is_closed() const { return is_closed_.load(std::memory_order_acquire); }
  void add(Closable& one);
  void remove(Closable& one);

  void sweep_opens(const SweptAssets& sweep);
  void sweep_closes(const SweptAssets& sweep);
  bool is_pumped() const { return is_pumped_; }
  // Reads on this thread if the context has no threads; see Scheduler::pump.
  Scheduler::Pumped pump(uint64_t until_us, uint32_t patience_ms) noexcept;
  // Waits as event.look_until does. A context without threads reads while it waits, so the caller
  // may hold no lock that a read's owner takes.
  template <typename Look>
  void look_until(const Event& event, uint64_t deadline_us, Look look) {
    if (!is_pumped_) return event.look_until(deadline_us, look);
    for (bool is_in_time = true;;) {
      const uint64_t seen = event.count();
      if (look() || !is_in_time) return;
      is_in_time = pump_once(event, seen, deadline_us);
    }
  }

  // Warns if sweeps are open and none contains the asset. Without memory for the check, gives no
  // warning.
  void note_request(skl_asset asset) noexcept;

  const ForkMark fork_mark;
  const Memory memory;
  Watch watch;
  BlockPool pool;
  DecodedFrames decoded;
  Leases leases;
  Workers workers;
  Schedulers schedulers;
  std::mutex prefetching;
  std::map<uint64_t, std::unique_ptr<Prefetch>> prefetches;  // indexed by ticket
  uint64_t next_ticket = 1;

 private:
  bool pump_once(const Event& event, uint64_t seen, uint64_t deadline_us) noexcept;

  const bool is_pumped_;
  std::atomic<bool> is_closed_ = false;
  std::mutex closing_;
  Vector<Closable*> open_;
  std::atomic<uint32_t> sweep_count_ = 0;
  std::mutex sweeping_;
  Vector<const SweptAssets*> sweeps_;
  NodePool sung_nodes_;
  // Holds the assets that were already warned about.
  std::set<skl_asset, std::less<>, NodeAllocator<skl_asset>> sung_{sung_nodes_};
};

}  // namespace seekless::runtime
