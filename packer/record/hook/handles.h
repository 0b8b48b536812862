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
  file,      // a file that the recorder knows; so are the next three
  heirloom,  // a child that inherits handles gets this handle
  shared,    // another process may have it too, and may move its position
  // Its reads may end after the call, and it has no file position. Once a read has ended, another
  // thread may learn of it and free the memory of its result before the call returns.
  overlapped,
};

inline bool is_file(HandleKind kind) {
  return kind >= HandleKind::file;
}

class Handles {
 public:
  HandleKind kind(HANDLE handle) const {
    const size_t at = place(handle);
    return at < kinds_.size() ? kinds_[at].load(std::memory_order_relaxed) : HandleKind::unknown;
  }
  void set(HANDLE handle, HandleKind kind) {
    const size_t at = place(handle);
    if (at < kinds_.size()) kinds_[at].store(kind, std::memory_order_relaxed);
  }
  // Returns what the handle was known as, and forgets it.
  HandleKind forget(HANDLE handle) {
    const HandleKind kind = this->kind(handle);
    if (kind != HandleKind::unknown) set(handle, HandleKind::unknown);
    return kind;
  }

 private:
  // Handles are small multiples of 4. Handles past a million aren't stored, so each read asks
  // again.
  static size_t place(HANDLE handle) { return reinterpret_cast<uintptr_t>(handle) / 4; }

  std::array<std::atomic<HandleKind>, size_t{1} << 18> kinds_ = {};
};

}  // namespace seekless::hook
