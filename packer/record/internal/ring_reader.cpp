#include "packer/record/internal/ring_reader.h"

#include <algorithm>

namespace seekless {
namespace {

constexpr uint32_t kGiveBackSlots = kRingSlots / 16;
// No path on Windows is longer. A longer one is nonsense, and its line in the trace couldn't be
// read again.
constexpr uint64_t kMostCharacters = 32'767;

}  // namespace

RingReader::RingReader(void* memory)
    : header_(static_cast<RingHeader*>(memory)),
      slots_(reinterpret_cast<RecordSlot*>(static_cast<std::byte*>(memory) + kRingHeaderBytes)) {}

FileRecord RingReader::copy_at(uint32_t number, uint32_t text_slots) const {
  const RecordSlot& slot = slots_[number % kRingSlots];
  FileRecord record = {.kind = slot.kind,
                       .thread = slot.thread,
                       .flags = slot.flags,
                       .start_ticks = slot.start_ticks,
                       .end_ticks = slot.end_ticks,
                       .handle = slot.handle,
                       .offset = slot.offset,
                       .length = slot.length,
                       .other = slot.other};
  if (text_slots == 0) return record;
  const auto characters = static_cast<size_t>(
      std::min({record.length, uint64_t{text_slots} * kSlotCharacters, kMostCharacters}));
  record.text.reserve(characters);
  for (uint32_t i = 1; i <= text_slots && record.text.size() < characters; ++i) {
    const auto* text = reinterpret_cast<const TextSlot*>(&slots_[(number + i) % kRingSlots]);
    const size_t left = characters - record.text.size();
    record.text.append(text->characters.data(), std::min(left, kSlotCharacters));
  }
  return record;
}

// Every writer reads this value for every record, so it isn't changed for every record.
void RingReader::give_back() {
  given_back_ = next_;
  header_->tail.store(next_, std::memory_order_release);
}

std::optional<FileRecord> RingReader::take() {
  for (;;) {
    // The number of slots given out can't exceed the ring's size; a nonsensical number from the
    // program is noticed below.
    if (seen_head_ == next_) seen_head_ = header_->head.load(std::memory_order_acquire);
    const uint32_t given = seen_head_ - next_;
    if (given == 0) {
      if (given_back_ != next_) give_back();
      return std::nullopt;
    }
    const RecordSlot& slot = slots_[next_ % kRingSlots];
    if (slot.turn.load(std::memory_order_acquire) == next_ + 1) {
      const uint32_t room = std::min(given, kRingSlots) - 1;
      const uint32_t text_slots = std::min<uint32_t>(slot.text_slots, room);
      FileRecord record = copy_at(next_, text_slots);
      next_ += 1 + text_slots;
      if (next_ - given_back_ >= kGiveBackSlots) give_back();
      is_passing_over_ = false;
      return record;
    }
    if (has_writer_) {
      if (given_back_ != next_) give_back();
      return std::nullopt;
    }
    if (given > kRingSlots) {  // an impossible number, so the rest is nonsense
      next_ += given;
      ++lost_;
      return std::nullopt;
    }
    // The process ended while it wrote; the slots of one record count as one.
    if (!is_passing_over_) ++lost_;
    is_passing_over_ = true;
    ++next_;
  }
}

}  // namespace seekless
