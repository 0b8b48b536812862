#include "runtime/stream.h"

#include <algorithm>
#include <cstring>

#include "runtime/context.h"

namespace seekless::runtime {
namespace {

constexpr uint64_t kPlayedSecondUs = 1'000'000;
// Assumed time until a part is needed while the rate is unknown.
constexpr uint64_t kUnknownUs = kPlayedSecondUs / 2;
// With a nearer deadline, the request would simply be urgent.
constexpr uint64_t kNearestUs = kPlayedSecondUs / 20;

skl_queue_options options_of(uint64_t pieces) {
  skl_queue_options options = {};
  options.capacity = static_cast<uint32_t>(pieces);
  return options;
}

}  // namespace

Stream::Stream(const std::shared_ptr<Core>& core, const NameSpace& names,
               const Recording& recording, const Range& range, uint64_t ahead_bytes,
               uint32_t bytes_per_second)
    : core_(core),
      range_(range),
      piece_bytes_(format::round_up(ahead_bytes / kPieces, format::kPageBytes)),
      bytes_per_second_(bytes_per_second),
      memory_(kPieces * piece_bytes_, core->memory),
      queue_(core, names, recording, options_of(kPieces)) {
  ask_ahead();
}

uint64_t Stream::bytes_of(uint64_t number) const {
  return std::min(piece_bytes_, range_.size_bytes - number * piece_bytes_);
}

// Returns half of the time until the part is needed, to leave time for other requests.
uint32_t Stream::deadline_us(uint64_t number) const {
  const uint64_t elapsed_us = began_us_ != 0 ? now_us() - began_us_ : 0;
  uint64_t rate = bytes_per_second_;
  if (rate == 0 && elapsed_us >= kPlayedSecondUs) rate = used_bytes_ * kPlayedSecondUs / elapsed_us;
  if (rate == 0) return kUnknownUs;
  const uint64_t until = number * piece_bytes_ - std::min(position_bytes_, number * piece_bytes_);
  constexpr uint64_t kMostUs = 60 * kPlayedSecondUs;
  return static_cast<uint32_t>(std::clamp(until * kPlayedSecondUs / rate / 2, kNearestUs, kMostUs));
}

skl_result Stream::ask(uint64_t number) {
  Slot& slot = slot_of(number);
  slot = {.number = number};
  slot.error.struct_bytes = sizeof(slot.error);
  skl_request request = {};
  request.struct_bytes = sizeof(request);
  request.asset = range_.asset;
  request.offset_bytes = range_.offset_bytes + number * piece_bytes_;
  request.length_bytes = bytes_of(number);
  request.destination = memory_.bytes().data() + number % kPieces * piece_bytes_;
  request.priority = SKL_PRIORITY_STREAM;
  request.deadline_us = deadline_us(number);
  request.tag = number;
  request.error = &slot.error;
  size_t accepted = 0;
  const skl_result result = queue_.submit({&request, sizeof(request), 1}, accepted);
  if (accepted == 1) slot.state = Slot::State::asked;
  return result;
}

// Requests several adjacent pieces at a time, which become one read.
void Stream::ask_ahead() {
  const uint64_t first = piece_of(position_bytes_);
  const uint64_t end =
      std::min(first + kPieces, format::round_up(range_.size_bytes, piece_bytes_) / piece_bytes_);
  const auto is_missing = [&](uint64_t number) {
    const Slot& slot = slot_of(number);
    // A slot whose read for another piece is in progress is still being written to.
    return slot.state != Slot::State::asked &&
           (slot.number != number || slot.state == Slot::State::empty);
  };
  uint64_t missing = 0;
  for (uint64_t number = first; number < end; ++number) missing += is_missing(number) ? 1 : 0;
  const bool is_last = first + kPieces >= end;
  if (missing < kPieces / 2 && !is_last && !(first < end && is_missing(first))) return;
  asked_ = SKL_OK;
  for (uint64_t number = first; number < end && asked_ == SKL_OK; ++number)
    if (is_missing(number)) asked_ = ask(number);
}

void Stream::note(const skl_completion& done) {
  Slot& slot = slot_of(done.tag);
  slot.state = done.result == SKL_OK          ? Slot::State::here
               : done.result == SKL_CANCELLED ? Slot::State::empty
                                              : Slot::State::failed;
}

void Stream::collect() {
  for (size_t count = 1; count > 0;) {
    skl_completion done = {};
    done.struct_bytes = sizeof(done);
    queue_.poll({&done, sizeof(done), 1}, count);
    if (count == 1) note(done);
  }
}

void Stream::wait_for_one(uint64_t deadline_us) {
  const uint64_t now = now_us();
  const uint64_t left_ms = deadline_us > now ? (deadline_us - now + 999) / 1000 : 0;
  skl_completion done = {};
  done.struct_bytes = sizeof(done);
  size_t count = 0;
  queue_.wait(static_cast<uint32_t>(std::min<uint64_t>(left_ms, UINT32_MAX)),
              {&done, sizeof(done), 1}, count);
  if (count == 1) note(done);
}

// Makes the request urgent, because the reader is already waiting for it.
void Stream::rush(Slot& slot) {
  if (std::exchange(slot.is_rushed, true)) return;
  queue_.reschedule(slot.number, UINT64_MAX, SKL_PRIORITY_URGENT, 0);
}

// Copies from the piece at the position. Returns false if it hasn't arrived.
bool Stream::take_piece(std::span<std::byte> into, size_t& count) {
  const uint64_t number = piece_of(position_bytes_);
  Slot& slot = slot_of(number);
  if (slot.number != number || slot.state != Slot::State::here) return false;
  const uint64_t at = position_bytes_ - number * piece_bytes_;
  const size_t length = std::min<uint64_t>(bytes_of(number) - at, into.size() - count);
  std::memcpy(into.data() + count, memory_.bytes().data() + number % kPieces * piece_bytes_ + at,
              length);
  count += length;
  position_bytes_ += length;
  if (at + length == bytes_of(number)) slot.state = Slot::State::empty;
  return true;
}

skl_result Stream::read_some(std::span<std::byte> into, size_t& count, skl_error* error) {
  collect();
  while (count < into.size() && position_bytes_ < range_.size_bytes && take_piece(into, count)) {
  }
  ask_ahead();
  if (count == into.size()) return SKL_OK;
  if (position_bytes_ == range_.size_bytes) return count > 0 ? SKL_OK : SKL_END;
  if (asked_ == SKL_CANCELLED) return fill(error, asked_, "the context is gone");
  Slot& slot = slot_of(piece_of(position_bytes_));
  if (slot.number == piece_of(position_bytes_)) {
    if (slot.state == Slot::State::asked) rush(slot);
    if (slot.state == Slot::State::failed && count == 0) {
      slot.state = Slot::State::empty;
      return fill(error, slot.error.result, slot.error.message, slot.error.os_error,
                  slot.error.offset_bytes);
    }
  }
  return count > 0 ? SKL_OK : SKL_WOULD_BLOCK;
}

// Waiting for the first bytes doesn't count as a stall.
void Stream::note_progress(size_t count, bool is_short) {
  const uint64_t now = now_us();
  if (count > 0 && short_since_us_ != 0) {
    const uint64_t stalled_us = now - std::exchange(short_since_us_, 0);
    ++told_.stalls;
    told_.stalled_us += stalled_us;
    told_.longest_stall_us = std::max(told_.longest_stall_us, stalled_us);
  }
  if (count > 0 && began_us_ == 0) began_us_ = now;
  used_bytes_ += count;
  if (is_short && used_bytes_ > 0 && short_since_us_ == 0) short_since_us_ = now;
}

skl_result Stream::read(std::span<std::byte> into, size_t& count, skl_error* error) {
  const std::lock_guard lock(mutex_);
  const skl_result result = read_some(into, count, error);
  note_progress(count, count < into.size() && position_bytes_ < range_.size_bytes);
  return result;
}

skl_result Stream::wait(uint32_t timeout_ms, std::span<std::byte> into, size_t& count,
                        skl_error* error) {
  const std::lock_guard lock(mutex_);
  const uint64_t deadline_us = deadline_of(timeout_ms);
  for (;;) {
    const size_t before = count;
    const skl_result result = read_some(into, count, error);
    const bool is_short = count < into.size() && position_bytes_ < range_.size_bytes;
    note_progress(count - before, is_short);
    if (!is_short || result < 0 || now_us() >= deadline_us) return result;
    // Returns bytes that have arrived first; the next call reports an error in the bytes after
    // them.
    if (slot_of(piece_of(position_bytes_)).state == Slot::State::failed) return result;
    wait_for_one(deadline_us);
  }
}

bool Stream::seek(uint64_t position_bytes) {
  const std::lock_guard lock(mutex_);
  if (position_bytes > range_.size_bytes) return false;
  position_bytes_ = position_bytes;
  began_us_ = used_bytes_ = short_since_us_ = 0;
  const uint64_t first = piece_of(position_bytes_);
  for (Slot& slot : slots_)
    if (slot.state == Slot::State::asked && (slot.number < first || slot.number >= first + kPieces))
      queue_.cancel(slot.number, UINT64_MAX);
  collect();
  ask_ahead();
  return true;
}

skl_stream_info Stream::about() const {
  const std::lock_guard lock(mutex_);
  skl_stream_info info = told_;
  info.size_bytes = range_.size_bytes;
  info.position_bytes = position_bytes_;
  for (uint64_t number = piece_of(position_bytes_); number * piece_bytes_ < range_.size_bytes;
       ++number) {
    const Slot& slot = slots_[number % kPieces];
    if (slot.number != number || slot.state != Slot::State::here) break;
    info.ahead_bytes = number * piece_bytes_ + bytes_of(number) - position_bytes_;
  }
  return info;
}

}  // namespace seekless::runtime
