// An asset, or a part of it, that is used up from front to back while others read, such as music:
// it is read ahead by a queue, into memory of its own, so that a sweep that fills the budget takes
// none of it, and with deadlines by how fast it is used up, so that it comes in time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "runtime/error.h"
#include "runtime/queue.h"
#include "runtime/tables.h"

namespace seekless::runtime {

// One thread at a time; others wait.
class Stream {
 public:
  struct Range {
    skl_asset asset = 0;
    uint64_t offset_bytes = 0;
    uint64_t size_bytes = 0;
  };
  // `bytes_per_second` 0: as it turns out. Begins to read. Else as Queue.
  Stream(const std::shared_ptr<Core>& core, const NameSpace& names, const Recording& recording,
         const Range& range, uint64_t ahead_bytes, uint32_t bytes_per_second);

  const Core& core() const { return *core_; }
  // What is there from the position on, which moves. Never waits for the disk. SKL_OK: at least a
  // byte; SKL_END; SKL_WOULD_BLOCK; or what is there couldn't be read, and is tried anew next time.
  skl_result read(std::span<std::byte> into, size_t& count, skl_error* error);
  // As much as there is room for, or what has come when the time is up.
  skl_result wait(uint32_t timeout_ms, std::span<std::byte> into, size_t& count, skl_error* error);
  // False: it is past the end.
  bool seek(uint64_t position_bytes);
  skl_stream_info about() const;

 private:
  static constexpr uint64_t kPieces = 8;
  static constexpr uint64_t kNoPiece = UINT64_MAX;

  // A place for a piece; its number modulo kPieces says which.
  struct Slot {
    enum class State : uint8_t { empty, asked, here, failed };
    State state = State::empty;
    bool is_rushed = false;
    uint64_t number = kNoPiece;
    skl_error error = {};
  };

  skl_result read_some(std::span<std::byte> into, size_t& count, skl_error* error);
  bool take_piece(std::span<std::byte> into, size_t& count);
  void note(const skl_completion& done);
  void collect();
  void wait_for_one(uint64_t deadline_us);
  void ask_ahead();
  skl_result ask(uint64_t number);
  void rush(Slot& slot);
  void note_progress(size_t count, bool is_short);
  uint32_t deadline_us(uint64_t number) const;
  uint64_t piece_of(uint64_t position_bytes) const { return position_bytes / piece_bytes_; }
  uint64_t bytes_of(uint64_t number) const;
  Slot& slot_of(uint64_t number) { return slots_[number % kPieces]; }

  const std::shared_ptr<Core> core_;
  const Range range_;
  const uint64_t piece_bytes_;
  const uint32_t bytes_per_second_;
  mutable std::mutex mutex_;
  uint64_t position_bytes_ = 0;
  std::array<Slot, kPieces> slots_ = {};
  skl_result asked_ = SKL_OK;  // the latest answer of the queue
  // Since it was opened or moved.
  uint64_t began_us_ = 0;
  uint64_t used_bytes_ = 0;
  uint64_t short_since_us_ = 0;  // 0: it isn't
  skl_stream_info told_ = {};
  TableMemory memory_;
  Queue queue_;  // last: it ends before the memory that it reads into
};

}  // namespace seekless::runtime
