#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/child_process.h"
#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/host/os_error.h"

extern char** environ;

namespace seekless {
namespace {

constexpr int kWaitMs = 200;
constexpr size_t kPieceBytes = 4096;

// Says how a program starts: in a group of its own, and with signals as they usually are.
class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output < 0)
      posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    // Libraries open files and connections that programs would inherit.
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigfillset(&signals);
    // This signal isn't reset: if it is ignored here, a game continues when nobody reads its output
    // any longer.
    sigdelset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  Result<int> start(const std::vector<std::string>& command) const {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_t process = 0;
    const int error =
        ::posix_spawnp(&process, words[0], &actions_, &attributes_, words.data(), environ);
    if (error != 0) return failed_call(command.front(), "start", error);
    return process;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

void set_variable(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

std::string own_program() {
  const std::string path = canonical_path("/proc/self/exe");
  return kind_of_path(path) == PathKind::file ? path : "";
}

Result<void> open_in_browser(const std::string& address) {
  SKL_TRY(const int process, SpawnSettings(-1).start({"xdg-open", address}));
  static_cast<void>(process);
  return {};
}

struct ChildProcess::Running {
  bool has_ended();

  int process;
  Descriptor pipe;
  bool is_over = false;
  int exit_code = 0;
};

ChildProcess::ChildProcess(std::unique_ptr<Running> running) : running_(std::move(running)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;
ChildProcess::~ChildProcess() = default;

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return failed_call(command.front(), "make a pipe for", errno);
  Descriptor from(ends[0]);
  const Descriptor to(ends[1]);
  SKL_TRY(const int process, SpawnSettings(to.get()).start(command));
  return ChildProcess(std::make_unique<Running>(process, std::move(from)));
}

bool ChildProcess::Running::has_ended() {
  int status = 0;
  if (::waitpid(process, &status, WNOHANG) != process) return false;
  exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

std::optional<std::string> ChildProcess::output() {
  Running& of = *running_;
  pollfd waits = {.fd = of.pipe.get(), .events = POLLIN, .revents = 0};
  // Programs that a game leaves behind may keep the pipe open, so its end isn't waited for.
  const bool is_ready = ::poll(&waits, 1, of.is_over ? 0 : kWaitMs) > 0;
  if (is_ready) {
    std::string piece(kPieceBytes, '\0');
    const ssize_t got = ::read(of.pipe.get(), piece.data(), piece.size());
    if (got > 0) {
      piece.resize(static_cast<size_t>(got));
      return piece;
    }
  }
  if (of.is_over) return std::nullopt;
  of.is_over = of.has_ended();
  if (!of.is_over && is_ready) ::usleep(kWaitMs * 1000);  // it closed its output, but runs
  return std::string();
}

void ChildProcess::interrupt() const {
  if (!running_->is_over) ::kill(-running_->process, SIGINT);
}

int ChildProcess::exit_code() const {
  return running_->exit_code;
}

}  // namespace seekless
