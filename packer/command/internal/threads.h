// Counts the threads that commands use by default.
#pragma once

#include <algorithm>
#include <thread>

namespace seekless {

// A disk gives no more to more of them, and memory would be wasted.
inline constexpr unsigned kMaxThreads = 8;

// One a core.
inline unsigned default_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads);
}

// Those that read many files wait for a disk most of the time: however few cores there are.
inline unsigned default_reading_threads() {
  return kMaxThreads;
}

}  // namespace seekless
