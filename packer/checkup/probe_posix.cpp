#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/checkup/internal/probe.h"
#include "packer/host/descriptor.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

using Clock = std::chrono::steady_clock;

// An answer is the outcome, the text found, and the advice, each text ended by a NUL.
std::string answer_of(const Result<ProbeAnswer>& tried) {
  using namespace std::string_literals;
  if (!tried) return "e" + tried.error().message + "\0"s;
  return std::to_string(static_cast<int>(tried->outcome)) + tried->found + "\0"s + tried->advice +
         "\0"s;
}

// Returns nothing if the answer is incomplete.
std::optional<Result<ProbeAnswer>> trial_of(const std::string& answer) {
  const size_t found_end = answer.find('\0');
  if (answer.empty() || found_end == std::string::npos) return std::nullopt;
  const std::string found = answer.substr(1, found_end - 1);
  if (answer.front() == 'e') return std::unexpected(Error{ErrorKind::failed, found});
  const size_t end = answer.find('\0', found_end + 1);
  if (end == std::string::npos) return std::nullopt;
  return ProbeAnswer{static_cast<Outcome>(answer.front() - '0'), found,
                     answer.substr(found_end + 1, end - found_end - 1)};
}

[[noreturn]] void answer_and_end(const SystemProbe& probe, int to) {
  ::setpgid(0, 0);
  std::string answer;
  try {
    answer = answer_of(probe.run());
  } catch (const std::exception& exception) {
    answer = answer_of(std::unexpected(to_error(exception)));
  }
  for (size_t done = 0; done < answer.size();) {
    const ssize_t put = ::write(to, answer.data() + done, answer.size() - done);
    if (put < 0 && errno != EINTR) break;
    if (put > 0) done += static_cast<size_t>(put);
  }
  ::_exit(0);
}

class RunningProbe {
 public:
  explicit RunningProbe(const SystemProbe& probe) : probe_(probe) {
    std::array<int, 2> pipe;
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return;
    from_ = Descriptor(pipe[0]);
    process_ = ::fork();
    if (process_ == 0) answer_and_end(probe, pipe[1]);
    ::close(pipe[1]);
    // Both processes set the group, so that it exists whichever runs first.
    if (process_ > 0) ::setpgid(process_, process_);
  }
  RunningProbe(RunningProbe&&) = default;

  Finding result(Clock::time_point until) {
    if (process_ < 0) return unanswered(probe_, "the system starts no process to try it in");
    const bool has_ended = read_until(until);
    ::kill(-process_, SIGKILL);
    // A process can't be ended while it waits for a file system that doesn't answer, so this waits
    // only for a short time.
    for (int tries = 0; ::waitpid(process_, nullptr, WNOHANG) == 0 && tries < 100; ++tries)
      ::usleep(1000);
    const auto tried = trial_of(answer_);
    if (tried) return finding_of(probe_, *tried);
    return unanswered(probe_, has_ended ? "the trial ended without an answer"
                                        : "the trial took too long, and was ended");
  }

 private:
  // Returns false if time is up.
  bool read_until(Clock::time_point until) {
    std::array<char, 4096> piece;
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd waiting = {from_.get(), POLLIN, 0};
      const int ready = ::poll(&waiting, 1, left > 0 ? static_cast<int>(left) : 0);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
      const ssize_t got = ::read(from_.get(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return true;
      answer_.append(piece.data(), static_cast<size_t>(got));
    }
  }

  const SystemProbe& probe_;
  Descriptor from_{-1};
  pid_t process_ = -1;
  std::string answer_;
};

}  // namespace

std::vector<Finding> run_probes(const std::vector<SystemProbe>& probes,
                                std::chrono::milliseconds most) {
  const auto until = Clock::now() + most;
  std::vector<RunningProbe> running;
  running.reserve(probes.size());
  for (const SystemProbe& probe : probes) running.emplace_back(probe);
  std::vector<Finding> findings;
  for (RunningProbe& one : running) findings.push_back(one.result(until));
  return findings;
}

}  // namespace seekless
