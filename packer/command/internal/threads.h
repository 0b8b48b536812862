// Sets the number of threads that commands use by default.
#pragma once

#include <algorithm>
#include <thread>

namespace seekless {

// More threads don't make a disk faster, and would waste memory.
inline constexpr unsigned kMaxThreads = 8;

// Returns one thread for each core, up to kMaxThreads.
inline unsigned default_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
}

// Returns the number of threads for reading many files. It doesn't depend on the cores, because
// such threads mostly wait for a disk.
inline unsigned default_reading_threads() {
  return kMaxThreads;
}

}  // namespace seekless
