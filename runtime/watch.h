// A context's counters, and the canaries that warn its creator about reading problems. Counting
// takes no lock.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "runtime/include/seekless.h"

namespace seekless::runtime {

using Count = std::atomic<uint64_t>;

inline void add(Count& count, uint64_t more = 1) {
  count.fetch_add(more, std::memory_order_relaxed);
}

// The members have the same meaning as in skl_stats.
struct Counts {
  Count read_bytes = 0;
  Count reads = 0;
  Count seeks = 0;
  Count sequential_bytes = 0;
  Count coalesced_requests = 0;
  Count gap_bytes = 0;
  Count cache_hits = 0;
  Count requests = 0;
  Count cancelled = 0;
  Count missed_deadlines = 0;
  Count bypasses = 0;
  Count would_blocks = 0;
  Count retried_blocks = 0;
  Count damaged_blocks = 0;
  Count io_errors = 0;
  Count canaries = 0;
  Count wait_us = 0;
};

// Returns the time on the clock that deadlines use.
inline uint64_t now_us() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
}

class Watch {
 public:
  Watch(skl_canary_function on_canary, void* user) : on_canary_(on_canary), user_(user) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Calls the canary function, if there is one, on this thread. The caller may hold no lock.
  void sing(skl_canary_kind kind, skl_asset asset, uint64_t offset_bytes, uint64_t duration_us,
            uint64_t count, std::string_view message);

  Counts counts;

 private:
  const skl_canary_function on_canary_;
  void* const user_;
};

}  // namespace seekless::runtime
