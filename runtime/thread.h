// Starts the library's own threads. It is the one place where the system may refuse one.
#pragma once

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/error.h"

namespace seekless::runtime {

// Throws NoThread or std::bad_alloc. `work` must let no exception out.
template <typename Work>
std::jthread start_thread(Work work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error& refused) {
    throw NoThread(refused.code().value());
  }
}

}  // namespace seekless::runtime
