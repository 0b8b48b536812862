#include <cerrno>
#include <ctime>

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

// Handles the signal for an exceeded file size. A child program gets the default again; an ignored
// signal would stay ignored there.
void outlive_full_file() noexcept {
  struct sigaction action = {};
  if (::sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = pass_over;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGXFSZ, &action, nullptr);
}

// While this object lives, writing to a pipe that nobody reads fails, and doesn't end the process.
class HeldBrokenPipe {
 public:
  HeldBrokenPipe() noexcept {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~HeldBrokenPipe() {
    const timespec no_time = {};
    if (::sigismember(&before_, SIGPIPE) == 0) ::sigtimedwait(&pipe_, nullptr, &no_time);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  HeldBrokenPipe(const HeldBrokenPipe&) = delete;
  HeldBrokenPipe& operator=(const HeldBrokenPipe&) = delete;

 private:
  sigset_t pipe_ = {};
  sigset_t before_ = {};
};

}  // namespace

void prepare_process() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    fill_closed_stream(descriptor);
  outlive_full_file();
}

std::vector<std::string> arguments_of(int count, char** arguments) {
  return {arguments, arguments + count};
}

void say(std::string_view text) noexcept {
  const HeldBrokenPipe held;
  while (!text.empty()) {
    const ssize_t put = ::write(STDERR_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<size_t>(put));
  }
}

}  // namespace seekless
