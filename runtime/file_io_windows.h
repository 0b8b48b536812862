// Lets the completion-port engine read a file without the system's cache. File::descriptor()
// returns a pointer to an UnbufferedFile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/handle_windows.h"

namespace seekless::runtime {

// Unit of unbuffered reads: sectors have 512 bytes or 4 KiB, and memory pages have 4 KiB.
inline constexpr size_t kUnbufferedBytes = 4096;

// Returns true if Windows accepts this unbuffered read. Wine also accepts the reads that Windows
// refuses.
bool fits_unbuffered(uint64_t offset_bytes, std::span<const std::span<std::byte>> pieces);

// Only one engine at a time may use it.
class UnbufferedFile {
 public:
  // `opened` must outlive it.
  explicit UnbufferedFile(HANDLE opened) : opened_(opened) {}

  // Returns a handle for unbuffered overlapped reads that complete on `port`, or null if the file
  // system doesn't support that. A handle belongs to one port forever, so each engine gets its own.
  // `engine` identifies the engine, because two ports may have the same value.
  HANDLE handle_for(HANDLE port, uint64_t engine);

  // Once a file has been read through the cache (by a prefetch or by requests), it is always read
  // through the cache, because cached bytes needn't be read from the device.
  void note_cached() { is_cached_.store(true, std::memory_order_relaxed); }
  bool is_cached() const { return is_cached_.load(std::memory_order_relaxed); }

 private:
  const HANDLE opened_;
  Handle own_;
  uint64_t engine_ = 0;
  std::atomic<bool> is_cached_ = false;
};

}  // namespace seekless::runtime
