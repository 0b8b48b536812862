// Starts threads that nobody waits for.
#pragma once

#include <functional>

namespace seekless {

// Runs `work` on a separate thread, which may continue until the process ends. Returns once the
// thread has begun: in mingw-w64's library of threads, a thread that is detached earlier may run
// another thread's work. Throws std::system_error if no thread can be made.
void run_detached(std::function<void()> work);

}  // namespace seekless
