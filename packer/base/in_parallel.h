// Runs work on several of the tool's threads. Each number is handled by one thread, so a result
// can't depend on how many threads there are. The program survives an exception in a thread, and a
// system that can't create threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Calls `work(thread)` on up to `threads` threads at once, including the caller's, with numbers
// below `threads`. If the system can't create that many, the existing ones do all the work. An
// exception in a thread is rethrown here when all have ended; before that, `stop()` is called for
// the others.
template <typename Work, typename Stop>
void on_threads(size_t threads, Work work, Stop stop) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto run = [&](size_t thread) noexcept {
    try {
      work(thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      stop();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      others.reserve(threads);
      for (size_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    run(0);
  }
  if (thrown) std::rethrow_exception(thrown);
}

// Calls `work(number, thread)` for all numbers below `count`; `thread` is below `threads`. After an
// exception no more numbers are begun, and it is rethrown here.
template <typename Work>
void in_parallel(size_t count, size_t threads, Work work) {
  std::atomic<size_t> next = 0;
  on_threads(
      std::min(threads, count),
      [&](size_t thread) {
        for (size_t number = next++; number < count; number = next++) work(number, thread);
      },
      [&]() noexcept { next = count; });
}

// Does what in_parallel does, for work that returns a Result<void>. The error is that of the lowest
// failing number, however many threads there are; no higher numbers are begun after an error. An
// exception counts as its number's error.
template <typename Work>
Result<void> in_parallel_or_error(size_t count, size_t threads, Work work) {
  std::atomic<size_t> failed_at = SIZE_MAX;
  std::mutex mutex;
  Error error;
  const auto done = [&](size_t number, size_t thread) -> Result<void> {
    try {
      return work(number, thread);
    } catch (const std::exception& exception) {
      return std::unexpected(to_error(exception));
    }
  };
  in_parallel(count, threads, [&](size_t number, size_t thread) {
    if (number > failed_at) return;
    auto result = done(number, thread);
    if (result) return;
    const std::lock_guard lock(mutex);
    if (number > failed_at) return;
    failed_at = number;
    error = std::move(result.error());
  });
  if (failed_at != SIZE_MAX) return std::unexpected(std::move(error));
  return {};
}

// Runs work that must not cause a failure, such as showing progress, in a thread. If the system
// can't create the thread, the work isn't done; an exception ends only the thread.
template <typename Work>
std::jthread thread_to_do_without(Work work) {
  try {
    return std::jthread([work](const std::stop_token& stop) {
      try {
        work(stop);
      } catch (const std::exception&) {
      }
    });
  } catch (const std::system_error&) {
    return {};
  }
}

// Returns how many threads to use; 0 asks for a default.
inline size_t thread_count(size_t wanted) {
  return wanted != 0 ? wanted : std::max<size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace seekless
