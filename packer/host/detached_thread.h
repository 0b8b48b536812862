// Starts threads that nobody waits for.
#pragma once

#include <functional>

namespace seekless {

// Runs `work` on a separate thread, which may continue until the process ends. Throws
// std::system_error if no thread can be made.
void run_detached(std::function<void()> work);

}  // namespace seekless
