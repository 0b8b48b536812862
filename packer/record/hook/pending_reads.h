// Tracks reads that have begun but not ended. The system will write the number of bytes into memory
// that the program chose. The number is looked up when the program learns of the end: by an event,
// a completion port, the next read into the same memory, or closing the file.
#pragma once

#include <array>
#include <atomic>

#include "packer/record/hook/native.h"
#include "packer/record/hook/ring_writer.h"

namespace seekless::hook {

class PendingReads {
 public:
  explicit PendingReads(RingWriter& ring) : ring_(ring) {}

  bool any() const { return count_.load(std::memory_order_relaxed) > 0; }

  // `record` describes the read; its `length` is the maximum number of bytes.
  void add(RingRecord record, HANDLE event, void* context, const IO_STATUS_BLOCK* done) {
    record.kind = RecordKind::pending;
    record.other = numbers_.fetch_add(1, std::memory_order_relaxed);
    ring_.put(record);
    for (AwaitedRead& entry : entries_) {
      uint32_t free = 0;
      if (!entry.is_used.compare_exchange_strong(free, kFilling)) continue;
      entry.number = record.other;
      entry.length = record.length;
      entry.handle = record.handle;
      entry.event = event;
      entry.context = context;
      entry.done = done;
      entry.is_used.store(kUsed, std::memory_order_release);
      count_.fetch_add(1, std::memory_order_relaxed);
      return;
    }  // no room: the recorder assumes that the read delivered its maximum
  }

  // Call this when the program has waited for one of these handles.
  void waited(const HANDLE* handles, size_t count) {
    for (AwaitedRead& entry : entries_) {
      if (entry.is_used.load(std::memory_order_acquire) != kUsed) continue;
      for (size_t i = 0; i < count; ++i)
        if (handles[i] == entry.event || handles[i] == entry.handle) look_at(entry);
    }
  }
  // Call this when a completion port has reported an end.
  void told(void* context, const IO_STATUS_BLOCK& done) {
    if (context == nullptr) return;
    for (AwaitedRead& entry : entries_)
      if (entry.is_used.load(std::memory_order_acquire) == kUsed && entry.context == context)
        return end(entry, bytes_of(done, entry.length));
  }
  // Call this when the memory is used again: the read into it has then ended.
  void reused(const IO_STATUS_BLOCK* done) {
    for (AwaitedRead& entry : entries_)
      if (entry.is_used.load(std::memory_order_acquire) == kUsed && entry.done == done)
        look_at(entry);
  }
  void closed(HANDLE handle) {
    for (AwaitedRead& entry : entries_)
      if (entry.is_used.load(std::memory_order_acquire) == kUsed && entry.handle == handle)
        look_at(entry);
  }

  // Returns false if the memory has been given back to the system.
  static bool copy(const IO_STATUS_BLOCK* from, IO_STATUS_BLOCK& to) {
    SIZE_T got = 0;
    return ::NtReadVirtualMemory(this_process(), from, &to, sizeof(to), &got) >= 0 &&
           got == sizeof(to);
  }
  static uint64_t bytes_of(const IO_STATUS_BLOCK& done, uint64_t most) {
    if (done.Status < 0) return 0;
    // A successful read delivers bytes, so 0 means that the program has cleared this memory since.
    if (done.Information == 0) return most;
    return done.Information < most ? done.Information : most;
  }

 private:
  static constexpr uint32_t kFree = 0, kFilling = 1, kUsed = 2;
  struct AwaitedRead {
    std::atomic<uint32_t> is_used = kFree;
    uint64_t number = 0;
    uint64_t length = 0;
    HANDLE handle = nullptr;
    HANDLE event = nullptr;
    void* context = nullptr;
    const IO_STATUS_BLOCK* done = nullptr;
  };

  void look_at(AwaitedRead& entry) {
    IO_STATUS_BLOCK done;
    if (!copy(entry.done, done))
      end(entry, entry.length);
    else if (done.Status != kPending)
      end(entry, bytes_of(done, entry.length));
  }
  void end(AwaitedRead& entry, uint64_t length) {
    uint32_t used = kUsed;
    const uint64_t number = entry.number;
    if (!entry.is_used.compare_exchange_strong(used, kFree)) return;
    count_.fetch_sub(1, std::memory_order_relaxed);
    ring_.put({.kind = RecordKind::completed,
               .other = number,
               .length = length,
               .end_ticks = ring_.ticks_now()});
  }

  RingWriter& ring_;
  std::array<AwaitedRead, 256> entries_ = {};
  std::atomic<int32_t> count_ = 0;
  std::atomic<uint64_t> numbers_ = 1;
};

}  // namespace seekless::hook
