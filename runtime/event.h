// Lets threads wait for an event and then check their condition again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "runtime/watch.h"

namespace seekless::runtime {

class Event {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;

  // Get the count before checking, so that an event in between isn't missed.
  uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void raise() {
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    raised_.notify_all();
  }
  // Waits until the event is raised after `seen`, or until now_us() is `deadline_us`. Returns false
  // if the time is up, even if the event was raised.
  bool wait_past(uint64_t seen, uint64_t deadline_us) const {
    std::unique_lock lock(mutex_);
    const auto is_past = [&] { return count_ != seen; };
    if (deadline_us == kNever) {
      raised_.wait(lock, is_past);
      return true;
    }
    const uint64_t now = now_us();
    if (now >= deadline_us) return false;
    return raised_.wait_for(lock, std::chrono::microseconds(deadline_us - now), is_past);
  }
  // Calls `look` each time the event is raised, until it returns true, and once more when the time
  // is up.
  template <typename Look>
  void look_until(uint64_t deadline_us, Look look) const {
    for (bool is_in_time = true;;) {
      const uint64_t seen = count();
      if (look() || !is_in_time) return;
      is_in_time = wait_past(seen, deadline_us);
    }
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable raised_;
  uint64_t count_ = 0;
};

// Returns the time at which a wait that begins now must end. A `timeout_ms` of UINT32_MAX means
// never.
inline uint64_t deadline_of(uint32_t timeout_ms) {
  return timeout_ms == UINT32_MAX ? Event::kNever : now_us() + uint64_t{timeout_ms} * 1000;
}

}  // namespace seekless::runtime
