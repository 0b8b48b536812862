#include "packer/base/stop_thread.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

// Waits for what never comes.
struct Waiting {
  ~Waiting() {
    {
      const std::lock_guard lock(mutex);
      changed.notify_all();  // it wakes, and goes on waiting, while it is asked to stop
    }
    stop_thread(thread, mutex, changed);
  }
  std::mutex mutex;
  std::condition_variable_any changed;
  std::jthread thread{[this](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stop.stop_requested(); });
  }};
};

TEST(StopThread, always_ends_it) {
  constexpr int kThreads = 3000;
  for (int i = 0; i < kThreads; ++i) const Waiting waiting;
}

TEST(StopThread, takes_one_that_has_not_begun) {
  std::jthread none;
  std::mutex mutex;
  std::condition_variable_any changed;
  stop_thread(none, mutex, changed);
  EXPECT_FALSE(none.joinable());
}

}  // namespace
}  // namespace seekless
