// Starts the library's threads. This is the only place where starting a thread can fail.
#pragma once

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/error.h"

namespace seekless::runtime {

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
