// Lets the completion-port engine read a file past the system's cache. File::descriptor() returns a
// pointer to an UnbufferedFile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/handle_windows.h"

namespace seekless::runtime {

// The unit of reads past the cache: sectors have 512 bytes or 4 KiB, and pages of memory have 4
// KiB.
inline constexpr size_t kUnbufferedBytes = 4096;

// Returns true if Windows would take this read past the cache. It refuses others; Wine doesn't.
bool fits_unbuffered(uint64_t offset_bytes, std::span<const std::span<std::byte>> pieces);

// Only one engine at a time may use it.
class UnbufferedFile {
 public:
  // `opened` must outlive it.
  explicit UnbufferedFile(HANDLE opened) : opened_(opened) {}

  // Returns a handle for overlapped reads past the cache that complete on `port`, or null if the
  // file system has none. A handle belongs to one port for ever, so each engine gets its own.
  // `engine` tells engines apart, because two ports may have the same value.
  HANDLE handle_for(HANDLE port, uint64_t engine);

  // Cached bytes needn't be read from the device. So once a file has been read through the cache
  // (by a prefetch or by requests), it is always read through it.
  void note_cached() { is_cached_.store(true, std::memory_order_relaxed); }
  bool is_cached() const { return is_cached_.load(std::memory_order_relaxed); }

 private:
  const HANDLE opened_;
  Handle own_;
  uint64_t engine_ = 0;
  std::atomic<bool> is_cached_ = false;
};

}  // namespace seekless::runtime
