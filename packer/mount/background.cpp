#include "packer/mount/background.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

// A message on the pipe is a letter, then text. An error's letter is '0' plus its kind.
constexpr char kReady = 'r';

void send(int pipe, char letter, const std::string& text) {
  const std::string message = letter + text;
  for (size_t sent = 0; sent < message.size();) {
    const ssize_t put = ::write(pipe, message.data() + sent, message.size() - sent);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    sent += static_cast<size_t>(put);
  }
}

void leave_terminal() {
  ::setsid();
  static_cast<void>(!::chdir("/"));
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  ::close(nothing);
}

[[noreturn]] void be_background(const std::function<Result<void>(const TellReady&)>& work,
                                int pipe) {
  bool is_ready = false;
  const TellReady ready = [&](const std::string& text) {
    send(pipe, kReady, text);
    ::close(pipe);
    leave_terminal();
    is_ready = true;
  };
  Result<void> done;
  try {
    done = work(ready);
  } catch (const std::exception& exception) {
    done = std::unexpected(to_error(exception));
  }
  if (!done && !is_ready)
    send(pipe, static_cast<char>('0' + static_cast<int>(done.error().kind)), done.error().message);
  ::_exit(done ? 0 : 1);
}

std::string hear_all(int pipe) {
  std::string heard;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return heard;
    heard.append(piece.data(), static_cast<size_t>(got));
  }
}

}  // namespace

Result<std::string> run_in_background(const std::function<Result<void>(const TellReady&)>& work) {
  std::array<int, 2> pipe;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return failed_call("the background", "make a pipe", errno);
  const Descriptor from(pipe[0]);
  const pid_t child = ::fork();
  if (child == 0) be_background(work, pipe[1]);
  const int fork_error = errno;
  ::close(pipe[1]);
  if (child < 0) return failed_call("the background", "start a process", fork_error);
  std::string heard = hear_all(from.get());
  if (heard.starts_with(kReady)) return heard.substr(1);
  ::waitpid(child, nullptr, 0);
  if (heard.empty())
    return failed({.place = "the background", .found = "a process that ended at once"});
  return std::unexpected(Error{static_cast<ErrorKind>(heard[0] - '0'), heard.substr(1)});
}

}  // namespace seekless
