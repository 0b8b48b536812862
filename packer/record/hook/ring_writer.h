// Writes records of a program's calls into the memory shared with the recorder. Any thread may use
// it. It takes no lock and allocates nothing, so it works in any state of the program.
#pragma once

#include <intrin.h>
#include <windows.h>

#include "packer/record/hook/native.h"
#include "packer/record/internal/ring.h"

namespace seekless::hook {

struct RingRecord {
  RecordKind kind;
  HANDLE handle = nullptr;
  uint64_t other = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint32_t flags = 0;
  int64_t start_ticks = 0;
  int64_t end_ticks = 0;
};

// A name in one or two parts, because opens may be relative to a folder.
struct NameParts {
  const wchar_t* folder = nullptr;
  size_t folder_characters = 0;
  const wchar_t* rest = nullptr;
  size_t rest_characters = 0;

  size_t characters() const {
    return folder_characters == 0 ? rest_characters : folder_characters + 1 + rest_characters;
  }
  char16_t at(size_t i) const {
    if (folder_characters == 0) return static_cast<char16_t>(rest[i]);
    if (i < folder_characters) return static_cast<char16_t>(folder[i]);
    return i == folder_characters ? u'\\' : static_cast<char16_t>(rest[i - folder_characters - 1]);
  }
};

class RingWriter {
 public:
  // `wait` is the system's own call, not the hook.
  void open(void* memory, NtWaitForSingleObjectCall wait) {
    header_ = static_cast<RingHeader*>(memory);
    slots_ = reinterpret_cast<RecordSlot*>(static_cast<unsigned char*>(memory) + kRingHeaderBytes);
    wait_ = wait;
    counts_cycles_ = header_->counts_cycles != 0;
  }
  // Touches all of the memory before the program runs, so that no read waits for the system to
  // provide it.
  void touch() {
    constexpr uint32_t kSlotsOfPage = 4096 / sizeof(RecordSlot);
    for (uint32_t i = 0; i < kRingSlots; i += kSlotsOfPage)
      slots_[i].turn.store(0, std::memory_order_relaxed);
  }
  RingHeader& header() { return *header_; }
  int64_t ticks_now() const {
    if (counts_cycles_) return static_cast<int64_t>(__rdtsc());
    LARGE_INTEGER now;
    ::QueryPerformanceCounter(&now);
    return now.QuadPart;
  }
  // Returns false once nobody takes records any more, or the recorder took too long.
  bool is_wanted() const { return header_->is_over.load(std::memory_order_relaxed) == 0; }

  // Lets the program continue without the recorder. The recorder notices, and holds no files from
  // then on.
  void give_up() { header_->is_over.store(1, std::memory_order_relaxed); }

  void put(const RingRecord& record, const NameParts& name = {});
  bool is_holding_files() const {
    return header_->holds_files.load(std::memory_order_acquire) != 0;
  }
  // Asks the recorder to close the program's files, and gives it a moment for that. Returns false
  // if it has ended. A recorder that the program has given up on may still hold files.
  bool ask_for_files();
  // Tells the recorder of a process that is about to run; returns once that process may run. If the
  // recorder didn't answer in time, it isn't asked again.
  void ask_about_child(uint64_t process);

 private:
  uint32_t reserve(uint32_t slots);
  bool wait_a_moment();
  bool gives_up_after(uint32_t waits, uint32_t most);

  RingHeader* header_ = nullptr;
  RecordSlot* slots_ = nullptr;
  NtWaitForSingleObjectCall wait_ = nullptr;
  bool counts_cycles_ = false;
  std::atomic<bool> is_slow_to_answer_ = false;
};

}  // namespace seekless::hook
