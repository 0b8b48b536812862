#include <atomic>

#include <windows.h>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

std::atomic<bool> interrupted = false;

// Called on a thread of the system's. A second time it isn't ours: then Windows ends the process.
BOOL WINAPI note(DWORD) {
  return interrupted.exchange(true, std::memory_order_relaxed) ? FALSE : TRUE;
}

}  // namespace

void note_interrupts() {
  ::SetConsoleCtrlHandler(note, TRUE);
}

bool is_interrupted() noexcept {
  return interrupted.load(std::memory_order_relaxed);
}

}  // namespace seekless
