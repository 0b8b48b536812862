// How many bytes the packer has read of files and streams, for whoever shows how work goes on.
#pragma once

#include <atomic>
#include <cstdint>

namespace seekless {

inline std::atomic<uint64_t>& bytes_read() {
  static std::atomic<uint64_t> bytes = 0;
  return bytes;
}

}  // namespace seekless
