#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "runtime/file_io.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {

Result<std::unique_ptr<WaitHandle>> WaitHandle::make() {
#ifdef __linux__
  const int event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (event < 0) return call_failed("an event", "make", errno);
  std::unique_ptr<WaitHandle> made(new (std::nothrow) WaitHandle(event, event));
  if (made == nullptr) ::close(event);
#else
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) return call_failed("a pipe", "make", errno);
  for (const int end : ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  std::unique_ptr<WaitHandle> made(new (std::nothrow) WaitHandle(ends[0], ends[1]));
  if (made == nullptr)
    for (const int end : ends) ::close(end);
#endif
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

WaitHandle::~WaitHandle() {
  ::close(static_cast<int>(waits_));
  if (signals_ != waits_) ::close(static_cast<int>(signals_));
}

// If there is no room for more, it is signalled already.
void WaitHandle::signal() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(static_cast<int>(signals_), &one, sizeof(one));
}

void WaitHandle::clear() const {
  std::array<uint64_t, 64> unread;
  while (::read(static_cast<int>(waits_), unread.data(), sizeof(unread)) == sizeof(unread)) {
  }
}

}  // namespace seekless::runtime
