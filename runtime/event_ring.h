// A lock-free ring of fixed size that carries events from the game's threads to the writing thread.
// An event that doesn't fit is refused, so no thread waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "runtime/include/seekless.h"
#include "runtime/memory.h"
#include "runtime/tables.h"

namespace seekless::runtime {

struct RecordedEvent {
  enum class Kind : uint32_t { open, read, mark };
  skl_asset asset = 0;        // for a mark, the mark's number
  uint64_t offset_bytes = 0;  // offset in the asset
  uint64_t length_bytes = 0;
  int64_t start_ns = 0;  // on the steady clock
  int64_t duration_ns = 0;
  uint32_t thread = 0;
  Kind kind = Kind::read;
};

class EventRing {
 public:
  // Holds as many events as fit into the bytes, rounded down to a power of two; at least one.
  EventRing(uint64_t size_bytes, const Memory& memory);

  // Any thread may call it. Returns false if the ring is full.
  bool push(const RecordedEvent& event);
  // Only one thread may call it. Returns false if the ring is empty.
  bool pop(RecordedEvent& event);

  // Returns how many events have been pushed since the ring was made.
  uint64_t pushed() const { return pushed_.load(); }

 private:
  // `turn` says who may use the cell: 2 * round means the pushing thread of that round, and 2 *
  // round + 1 the popping thread.
  struct alignas(64) Cell {
    std::atomic<uint64_t> turn = 0;
    RecordedEvent event;
  };
  static_assert(sizeof(Cell) == 64);

  TableMemory memory_;
  std::span<Cell> cells_;
  uint32_t shift_ = 0;  // log2 of the number of cells
  alignas(64) std::atomic<uint64_t> pushed_ = 0;
  alignas(64) uint64_t popped_ = 0;
};

}  // namespace seekless::runtime
