// What is known of each handle of this process, so that what happens to pipes, events and windows'
// things costs nothing, and a file that came from elsewhere is told of before its first read.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <windows.h>

namespace seekless::hook {

enum class HandleKind : uint8_t {
  unknown,   // nobody has seen where it came from
  other,     // nothing whose reads count
  section,   // of a file that the recorder knows
  file,      // that the recorder knows; from here on
  heirloom,  // and which children get, if they get handles
  shared,    // and which other processes may have, too: where it stands is theirs to change
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
  // What it was; from now on it is unknown.
  HandleKind forget(HANDLE handle) {
    const HandleKind kind = this->kind(handle);
    if (kind != HandleKind::unknown) set(handle, HandleKind::unknown);
    return kind;
  }

 private:
  // They are multiples of 4, and small. Of those past a million each read asks again.
  static size_t place(HANDLE handle) { return reinterpret_cast<uintptr_t>(handle) / 4; }

  std::array<std::atomic<HandleKind>, size_t{1} << 18> kinds_ = {};
};

}  // namespace seekless::hook
