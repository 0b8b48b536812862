// Reads an asset, or a part of it, from front to back while other reads go on, such as music. A
// queue reads ahead into the stream's own memory, so a sweep can't use it up. The requests'
// deadlines are computed from the rate at which the bytes are consumed, so they arrive in time.
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

// One thread at a time uses it; others wait.
class Stream {
 public:
  struct Range {
    skl_asset asset = 0;
    uint64_t offset_bytes = 0;
    uint64_t size_bytes = 0;
  };
  // If `bytes_per_second` is 0, the rate is measured. Starts reading. Otherwise like Queue.
  Stream(const std::shared_ptr<Core>& core, const NameSpace& names, const Recording& recording,
         const Range& range, uint64_t ahead_bytes, uint32_t bytes_per_second);

  const Core& core() const { return *core_; }
  // Reads what has arrived at the position, and moves the position. Never waits for the disk.
  // Returns SKL_OK (at least a byte), SKL_END, SKL_WOULD_BLOCK, or the error of a failed part,
  // which the next call tries again.
  skl_result read(std::span<std::byte> into, size_t& count, skl_error* error);
  // Waits until `into` is full. If the time runs out, returns the bytes that have arrived.
  skl_result wait(uint32_t timeout_ms, std::span<std::byte> into, size_t& count, skl_error* error);
  // Returns false if the position is past the end.
  bool seek(uint64_t position_bytes);
  skl_stream_info about() const;

 private:
  static constexpr uint64_t kPieces = 8;
  static constexpr uint64_t kNoPiece = UINT64_MAX;

  // A slot for a piece. A piece's slot is its number modulo kPieces.
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
  skl_result asked_ = SKL_OK;  // the queue's latest result
  // When the stream was opened, or last moved.
  uint64_t began_us_ = 0;
  uint64_t used_bytes_ = 0;
  uint64_t short_since_us_ = 0;  // 0: the latest read wasn't short
  skl_stream_info told_ = {};
  TableMemory memory_;
  Queue queue_;  // last, so that it ends before the memory that it reads into
};

}  // namespace seekless::runtime
