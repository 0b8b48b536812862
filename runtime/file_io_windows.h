// What a file of Windows has for the engine that reads past the system's cache; File::descriptor()
// leads to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/handle_windows.h"

namespace seekless::runtime {

// Sectors have 512 bytes or 4 KiB, and pages of memory have 4 KiB.
inline constexpr size_t kUnbufferedBytes = 4096;

// Whether Windows would take these for a read past the cache: it refuses others (Wine doesn't).
bool fits_unbuffered(uint64_t offset_bytes, std::span<const std::span<std::byte>> pieces);

// For one engine at a time.
class UnbufferedFile {
 public:
  // `opened` must outlive it.
  explicit UnbufferedFile(HANDLE opened) : opened_(opened) {}

  // A handle for overlapped reads past the cache that are told to `port`; null if the file system
  // has none. A file's handle belongs to one port for ever, so another engine gets another one.
  // `engine` tells engines apart, since ports may be called the same.
  HANDLE handle_for(HANDLE port, uint64_t engine);

  // What is in the cache needn't be read from the device: so a file that once was read through the
  // cache for later, or by requests, is read through it from then on.
  void note_cached() { is_cached_.store(true, std::memory_order_relaxed); }
  bool is_cached() const { return is_cached_.load(std::memory_order_relaxed); }

 private:
  const HANDLE opened_;
  Handle own_;
  uint64_t engine_ = 0;
  std::atomic<bool> is_cached_ = false;
};

}  // namespace seekless::runtime
