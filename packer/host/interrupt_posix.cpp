#include <atomic>

#include <signal.h>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<bool> is_told = false;  // set by set_interrupted
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

void note_interrupts() {
  if (is_told) return;
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // The program's parent may have set the signals to be ignored, as nohup does.
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
}

bool is_interrupted() noexcept {
  return interrupted.load(std::memory_order_relaxed);
}

void set_interrupted(bool is_to_stop) noexcept {
  is_told = true;
  interrupted.store(is_to_stop, std::memory_order_relaxed);
}

}  // namespace seekless
