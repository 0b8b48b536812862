// The same work for many numbers, on several threads: each number is one thread's, so what is done
// for it can't depend on how many threads there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace seekless {

// Calls `work(number, thread)` for all numbers below `count`; `thread` is below `threads`. `work`
// throws nothing but what ends the program.
template <typename Work>
void in_parallel(size_t count, size_t threads, Work work) {
  std::atomic<size_t> next = 0;
  const auto run = [&](size_t thread) {
    for (size_t number = next++; number < count; number = next++) work(number, thread);
  };
  std::vector<std::jthread> others;
  for (size_t thread = 1; thread < std::min(threads, count); ++thread)
    others.emplace_back(run, thread);
  run(0);
}

// How many threads to use where 0 is asked for.
inline size_t thread_count(size_t wanted) {
  return wanted != 0 ? wanted : std::max<size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace seekless
