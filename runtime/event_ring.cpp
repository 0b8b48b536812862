#include "runtime/event_ring.h"

#include <algorithm>
#include <bit>
#include <memory>

namespace seekless::runtime {

EventRing::EventRing(uint64_t size_bytes, const Memory& memory) {
  const uint64_t count = std::bit_floor(std::max<uint64_t>(size_bytes / sizeof(Cell), 1));
  shift_ = static_cast<uint32_t>(std::countr_zero(count));
  memory_ = TableMemory(count * sizeof(Cell), memory);
  cells_ = {reinterpret_cast<Cell*>(memory_.bytes().data()), static_cast<size_t>(count)};
  std::uninitialized_default_construct(cells_.begin(), cells_.end());
}

bool EventRing::push(const RecordedEvent& event) {
  uint64_t at = pushed_.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = cells_[at & (cells_.size() - 1)];
    const uint64_t round = at >> shift_;
    const uint64_t turn = cell.turn.load(std::memory_order_acquire);
    if (turn < 2 * round) {
      // This cell hasn't been popped since the previous round, unless other threads have moved on
      // meanwhile.
      const uint64_t now = pushed_.load(std::memory_order_relaxed);
      if (now == at) return false;
      at = now;
      continue;
    }
    if (turn > 2 * round) {
      at = pushed_.load(std::memory_order_relaxed);
      continue;
    }
    if (!pushed_.compare_exchange_weak(at, at + 1, std::memory_order_seq_cst)) continue;
    cell.event = event;
    cell.turn.store(2 * round + 1, std::memory_order_release);
    return true;
  }
}

bool EventRing::pop(RecordedEvent& event) {
  const uint64_t at = popped_;
  Cell& cell = cells_[at & (cells_.size() - 1)];
  const uint64_t round = at >> shift_;
  if (cell.turn.load(std::memory_order_acquire) != 2 * round + 1) return false;
  event = cell.event;
  cell.turn.store(2 * (round + 1), std::memory_order_release);
  popped_ = at + 1;
  return true;
}

}  // namespace seekless::runtime
