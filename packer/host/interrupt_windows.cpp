#include <atomic>

#include <windows.h>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

std::atomic<bool> interrupted = false;
std::atomic<bool> is_told = false;  // set by set_interrupted

// Windows calls this on a separate thread. A second request isn't handled, so Windows ends the
// process.
BOOL WINAPI note(DWORD) {
  return interrupted.exchange(true, std::memory_order_relaxed) ? FALSE : TRUE;
}

}  // namespace

void note_interrupts() {
  if (is_told) return;
  ::SetConsoleCtrlHandler(note, TRUE);
}

bool is_interrupted() noexcept {
  return interrupted.load(std::memory_order_relaxed);
}

void set_interrupted(bool is_to_stop) noexcept {
  is_told = true;
  interrupted.store(is_to_stop, std::memory_order_relaxed);
}

}  // namespace seekless
