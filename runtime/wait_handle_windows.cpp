#include "runtime/file_io.h"
#include "runtime/handle_windows.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {

Result<std::unique_ptr<WaitHandle>> WaitHandle::make() {
  Handle event(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!event) return call_failed("an event", "make", static_cast<int>(::GetLastError()));
  const auto number = reinterpret_cast<intptr_t>(event.get());
  std::unique_ptr<WaitHandle> made(new WaitHandle(number, number));
  event.release();
  return made;
}

WaitHandle::~WaitHandle() {
  ::CloseHandle(reinterpret_cast<HANDLE>(waits_));
}

void WaitHandle::signal() const {
  ::SetEvent(reinterpret_cast<HANDLE>(signals_));
}

void WaitHandle::clear() const {
  ::ResetEvent(reinterpret_cast<HANDLE>(waits_));
}

}  // namespace seekless::runtime
