#include "packer/host/interrupt.h"

#include <atomic>

#include <signal.h>

namespace seekless {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

void note_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool is_interrupted() noexcept {
  return interrupted.load(std::memory_order_relaxed);
}

}  // namespace seekless
