// Counts the bytes that the packer reads from files and streams, for the display of progress.
#pragma once

#include <atomic>
#include <cstdint>

namespace seekless {

inline std::atomic<uint64_t>& bytes_read() {
  static std::atomic<uint64_t> bytes = 0;
  return bytes;
}

}  // namespace seekless
