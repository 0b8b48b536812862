// Stores what is known of each handle of this process. Calls on pipes, events and windows then cost
// nothing, and a file that was opened elsewhere is reported before its first read.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <windows.h>

namespace seekless::hook {

enum class HandleKind : uint8_t {
  unknown,   // nobody saw how the handle was made
  other,     // an object whose reads don't count
  section,   // a section of a file that the recorder knows
  file,      // a file that the recorder knows; so are the next two
  heirloom,  // a child that inherits handles gets this handle
  shared,    // another process may have it too, and may move its position
};

inline bool is_file(HandleKind kind) {
  return kind >= HandleKind::file;
}

class Handles {
 public:
  HandleKind kind(HANDLE handle) const { return static_cast<HandleKind>(entry(handle) & kKind); }
  // Returns true if a read of this file returns only once it is over, and gets its data from the
  // system's cache.
  bool may_wait(HANDLE handle) const { return (entry(handle) & kMayWait) != 0; }
  void set(HANDLE handle, HandleKind kind, bool may_wait = false) {
    const size_t at = place(handle);
    const auto entry = static_cast<uint8_t>(static_cast<uint8_t>(kind) | (may_wait ? kMayWait : 0));
    if (at < entries_.size()) entries_[at].store(entry, std::memory_order_relaxed);
  }
  // Returns what the handle was known as, and forgets it.
  HandleKind forget(HANDLE handle) {
    const HandleKind kind = this->kind(handle);
    if (kind != HandleKind::unknown) set(handle, HandleKind::unknown);
    return kind;
  }

 private:
  static constexpr uint8_t kKind = 0x7f, kMayWait = 0x80;

  uint8_t entry(HANDLE handle) const {
    const size_t at = place(handle);
    return at < entries_.size() ? entries_[at].load(std::memory_order_relaxed) : 0;
  }

  // Handles are small multiples of 4. Handles past a million aren't stored, so each read asks
  // again.
  static size_t place(HANDLE handle) { return reinterpret_cast<uintptr_t>(handle) / 4; }

  std::array<std::atomic<uint8_t>, size_t{1} << 18> entries_ = {};
};

}  // namespace seekless::hook
