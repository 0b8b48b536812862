#include <cerrno>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "packer/host/standard_streams.h"

namespace seekless {
namespace {

void fill_closed_stream(int descriptor) noexcept {
  if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) return;
  // Opens the stream in the wrong direction, so that reading and writing fail. open() takes the
  // lowest free number, which is this one. A child program finds the stream closed, as it was.
  const int way = (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC;
  if (::open("/dev/null", way) < 0) (void)::open("/", O_PATH | O_CLOEXEC);
}

void pass_over(int) {}

// Handles a signal that a failing write raises. A child program gets the default again; an ignored
// signal would stay ignored there.
void outlive(int signal) noexcept {
  struct sigaction action = {};
  if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = pass_over;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void prepare_process() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    fill_closed_stream(descriptor);
  outlive(SIGXFSZ);  // raised by writing beyond a file's size limit
}

void outlive_closed_pipes() noexcept {
  outlive(SIGPIPE);
}

std::vector<std::string> arguments_of(int count, char** arguments) {
  return {arguments, arguments + count};
}

void say(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<size_t>(put));
  }
}

}  // namespace seekless
