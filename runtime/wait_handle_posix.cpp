#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

#include "runtime/descriptor_posix.h"
#include "runtime/file_io.h"
#include "runtime/wait_handle.h"

namespace seekless::runtime {

#ifdef __linux__

struct WaitHandle::Ends {
  Descriptor waits;
  int signals() const { return waits.number(); }
  bool are_own() const { return waits.is_own(); }
};

Result<std::unique_ptr<WaitHandle>> WaitHandle::make() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (event.number() < 0) return call_failed("an event", "make", errno);
  std::unique_ptr<Ends> ends(new Ends{std::move(event)});
  return std::unique_ptr<WaitHandle>(new WaitHandle(std::move(ends)));
}

#else

struct WaitHandle::Ends {
  Descriptor waits;
  Descriptor writes;
  int signals() const { return writes.number(); }
  bool are_own() const { return waits.is_own() && writes.is_own(); }
};

Result<std::unique_ptr<WaitHandle>> WaitHandle::make() {
  std::array<int, 2> numbers = {};
  if (::pipe(numbers.data()) != 0) return call_failed("a pipe", "make", errno);
  Descriptor waits(numbers[0]);
  Descriptor writes(numbers[1]);
  for (const int end : numbers) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  std::unique_ptr<Ends> ends(new Ends{std::move(waits), std::move(writes)});
  return std::unique_ptr<WaitHandle>(new WaitHandle(std::move(ends)));
}

#endif

WaitHandle::WaitHandle(std::unique_ptr<Ends> ends) : ends_(std::move(ends)) {}

WaitHandle::~WaitHandle() = default;

intptr_t WaitHandle::get() const {
  return ends_->waits.number();
}

bool WaitHandle::is_own() const {
  return ends_->are_own();
}

// A full pipe or eventfd is already signalled.
void WaitHandle::signal() const {
  if (!is_own()) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(ends_->signals(), &one, sizeof(one));
}

void WaitHandle::clear() const {
  if (!is_own()) return;
  std::array<uint64_t, 64> unread;
  while (::read(ends_->waits.number(), unread.data(), sizeof(unread)) == sizeof(unread)) {
  }
}

}  // namespace seekless::runtime
