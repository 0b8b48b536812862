#include "runtime/file_io.h"
#include "runtime/handle_windows.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {

struct WaitHandle::Ends {
  Handle event;
};

Result<std::unique_ptr<WaitHandle>> WaitHandle::make() {
  Handle event(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!event) return call_failed("an event", "make", static_cast<int>(::GetLastError()));
  std::unique_ptr<Ends> ends(new Ends{std::move(event)});
  return std::unique_ptr<WaitHandle>(new WaitHandle(std::move(ends)));
}

WaitHandle::WaitHandle(std::unique_ptr<Ends> ends) : ends_(std::move(ends)) {}

WaitHandle::~WaitHandle() = default;

intptr_t WaitHandle::get() const {
  return reinterpret_cast<intptr_t>(ends_->event.get());
}

// Always true, because Windows has nothing like closefrom().
bool WaitHandle::is_own() const {
  return true;
}

void WaitHandle::signal() const {
  ::SetEvent(ends_->event.get());
}

void WaitHandle::clear() const {
  ::ResetEvent(ends_->event.get());
}

}  // namespace seekless::runtime
