// Ends a thread that waits for changes or for its end. The waits of std::condition_variable_any
// that take a stop token aren't used for that: on Windows, where GCC 12's library has no futex,
// such a wait that ends while stopping is asked for may wait for ever (a program that does nothing
// else hung after 300 to 2,700 threads under Wine).
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace seekless {

// The thread must wait for `changed` with this mutex, and must ask its stop token each time.
inline void stop_thread(std::jthread& thread, std::mutex& mutex,
                        std::condition_variable_any& changed) {
  thread.request_stop();
  {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
  if (thread.joinable()) thread.join();
}

}  // namespace seekless
