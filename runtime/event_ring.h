// Events on their way from the threads of a game to the one that writes them down: a ring of fixed
// size, without locks. What doesn't fit is refused, so that nobody waits.
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
  skl_asset asset = 0;        // of a mark: its number
  uint64_t offset_bytes = 0;  // in the asset
  uint64_t length_bytes = 0;
  int64_t start_ns = 0;  // of the steady clock
  int64_t duration_ns = 0;
  uint32_t thread = 0;
  Kind kind = Kind::read;
};

class EventRing {
 public:
  // As many events as fit the bytes, rounded down to a power of two; at least one.
  EventRing(uint64_t size_bytes, const Memory& memory);

  // From any thread. False if the ring is full.
  bool push(const RecordedEvent& event);
  // From one thread. False if the ring is empty.
  bool pop(RecordedEvent& event);

  // How many events have been pushed since it was made.
  uint64_t pushed() const { return pushed_.load(); }

 private:
  // `turn` says whose it is: 2 * round for the thread that pushes in that round, plus 1 for the one
  // that pops.
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
