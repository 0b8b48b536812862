// Starts the library's threads, which can fail only here. Helps threads not to share cache lines.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/error.h"

namespace seekless::runtime {

// Objects with this alignment share neither a cache line nor an adjacent pair of lines, which
// processors fetch together.
inline constexpr std::size_t kUnsharedBytes = 128;

// Numbers all threads that ask, from 1 on.
inline uint32_t number_of_thread() {
  static std::atomic<uint32_t> threads = 0;
  thread_local const uint32_t number = ++threads;
  return number;
}

// Throws NoThread or std::bad_alloc. No exception may escape from `work`.
template <typename Work>
std::jthread start_thread(Work work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error& refused) {
    throw NoThread(refused.code().value());
  }
}

}  // namespace seekless::runtime
