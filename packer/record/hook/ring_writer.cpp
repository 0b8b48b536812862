#include "packer/record/hook/ring_writer.h"

namespace seekless::hook {
namespace {

HANDLE handle_of(uint64_t number) {
  return reinterpret_cast<HANDLE>(static_cast<uintptr_t>(number));
}

// Does what GetCurrentThreadId does, without a call: the number lies at a fixed place in the
// thread's block.
uint32_t this_thread() {
  uint32_t number;
#ifdef _WIN64
  __asm__("movl %%gs:0x48, %0" : "=r"(number));
#else
  __asm__("movl %%fs:0x24, %0" : "=r"(number));
#endif
  return number;
}

// Every 64-bit processor that runs Windows has prefetchw; older ones may only have the other
// instruction.
void fetch_to_write(const void* line) {
#ifdef _WIN64
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  _mm_prefetch(static_cast<const char*>(line), _MM_HINT_T0);
#endif
}

}  // namespace

// Waits a millisecond, or until the recorder ends. Returns false if it has ended: nobody takes
// records any more, and its files are closed.
bool RingWriter::wait_a_moment() {
  constexpr int64_t kMillisecond = -10'000;  // negative numbers count from now
  LARGE_INTEGER moment;
  moment.QuadPart = kMillisecond;
  if (wait_(handle_of(header_->recorder_handle), FALSE, &moment) == WAIT_TIMEOUT) return true;
  header_->is_over.store(1, std::memory_order_relaxed);
  header_->holds_files.store(0, std::memory_order_relaxed);
  return false;
}

// Returns true, and gives up on the recorder, if the recorder has kept the program waiting for too
// long.
bool RingWriter::gives_up_after(uint32_t waits, uint32_t most) {
  if (most == 0 || waits < most) return false;
  give_up();
  return true;
}

uint32_t RingWriter::reserve(uint32_t slots) {
  const uint32_t first = header_->head.fetch_add(slots, std::memory_order_relaxed);
  const uint32_t end = first + slots;
  // Setting the event calls the system, or Wine's server. So it is done rarely, and not while the
  // recorder keeps up by itself.
  const bool wakes = first / kWakeSlots != end / kWakeSlots &&
                     end - header_->tail.load(std::memory_order_relaxed) >= kWakeSlots;
  uint32_t waits = 0;
  while (end - header_->tail.load(std::memory_order_acquire) > kRingSlots) {
    if (waits == 0) header_->waits.fetch_add(1, std::memory_order_relaxed);
    ::NtSetEvent(handle_of(header_->wake_handle), nullptr);
    const uint32_t most = header_->most_waits.load(std::memory_order_relaxed);
    if (!wait_a_moment() || !is_wanted() || gives_up_after(++waits, most)) break;
  }
  if (wakes) ::NtSetEvent(handle_of(header_->wake_handle), nullptr);
  return first;
}

void RingWriter::put(const RingRecord& record, const NameParts& name) {
  const size_t characters = name.characters();
  if (characters > kMaxTextCharacters) return;  // too long for a file name
  const auto text_slots =
      static_cast<uint32_t>((characters + kSlotCharacters - 1) / kSlotCharacters);
  const uint32_t first = reserve(1 + text_slots);
  if (!is_wanted()) return;
  for (uint32_t i = 0; i < text_slots; ++i) {
    auto* text = reinterpret_cast<TextSlot*>(&slots_[(first + 1 + i) % kRingSlots]);
    for (size_t j = 0; j < kSlotCharacters && i * kSlotCharacters + j < characters; ++j)
      text->characters[j] = name.at(i * kSlotCharacters + j);
  }
  RecordSlot& slot = slots_[first % kRingSlots];
  // Fetches a slot that the recorder has used before, to write it, so that a later record needn't
  // wait for it.
  constexpr uint32_t kAhead = 8;
  fetch_to_write(&slots_[(first + kAhead) % kRingSlots]);
  slot.kind = record.kind;
  slot.text_slots = static_cast<uint16_t>(text_slots);
  slot.thread = this_thread();
  slot.flags = record.flags;
  slot.start_ticks = record.start_ticks;
  slot.end_ticks = record.end_ticks;
  slot.handle = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(record.handle));
  slot.offset = record.offset;
  slot.length = characters > 0 ? characters : record.length;
  slot.other = record.other;
  slot.turn.store(first + 1, std::memory_order_release);
}

bool RingWriter::ask_for_files() {
  header_->wanted_files.fetch_add(1, std::memory_order_release);
  return wait_a_moment();
}

void RingWriter::ask_about_child(uint64_t process) {
  if (is_slow_to_answer_.load(std::memory_order_relaxed)) return;
  const uint32_t number = header_->children.fetch_add(1, std::memory_order_relaxed) + 1;
  put({.kind = RecordKind::child, .handle = handle_of(number), .other = process});
  ::NtSetEvent(handle_of(header_->wake_handle), nullptr);
  const auto& answer = header_->answers[number % header_->answers.size()];
  // After this long, the child runs without being recorded; the program itself is still recorded.
  // The recorder gives up on a child after 5 s.
  constexpr ULONGLONG kMostMs = 30'000, kMostMsOfLive = 6'000;
  const bool is_live = header_->most_waits.load(std::memory_order_relaxed) > 0;
  const ULONGLONG until_ms = ::GetTickCount64() + (is_live ? kMostMsOfLive : kMostMs);
  while (answer.load(std::memory_order_acquire) != number && ::GetTickCount64() < until_ms)
    if (!wait_a_moment() || !is_wanted()) return;
  if (answer.load(std::memory_order_acquire) != number)
    is_slow_to_answer_.store(true, std::memory_order_relaxed);
}

}  // namespace seekless::hook
