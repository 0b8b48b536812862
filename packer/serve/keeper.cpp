#include "packer/serve/keeper.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/serve/private_mount.h"
#include "packer/serve/server_process.h"

namespace seekless {
namespace {

constexpr int kSecondMs = 1000;
constexpr int kSignalled = 128;  // as shells tell a program that a signal ended

// Those that this process waits for instead of being ended by them.
sigset_t awaited_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  return set;
}

void leave_keys_to_program() {
  for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

// A folder that one works in is another one once it is covered. Only the program enters it: whoever
// keeps watch must not wait for the server.
void enter_again(const std::string& folder) {
  if (!folder.empty()) static_cast<void>(!::chdir(folder.c_str()));
}

std::string working_folder() {
  std::array<char, 4096> path;
  return ::getcwd(path.data(), path.size()) == nullptr ? "" : path.data();
}

// Until somebody looks at it, a served folder is nobody's to the kernel, who lets none make files
// in it where users have a name space of their own.
void look_at(const std::string& served) {
  struct stat ignored = {};
  if (!served.empty()) static_cast<void>(::stat(served.c_str(), &ignored));
}

[[noreturn]] void become_program(const std::vector<std::string>& command, const sigset_t& signals,
                                 const std::string& served, const std::string& folder,
                                 int failed_to) {
  look_at(served);
  enter_again(folder);
  for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t put = ::write(failed_to, &error, sizeof(error));
  ::_exit(kSignalled - 1);
}

// With the signals that were blocked before; an error if there is no such program.
// The program enters its folder, for which it may have to wait: `every_second` is called meanwhile.
Result<pid_t> start_program(const std::vector<std::string>& command, const sigset_t& signals,
                            const std::string& served, const std::function<void()>& every_second) {
  std::array<int, 2> failed_to;
  if (::pipe2(failed_to.data(), O_CLOEXEC) != 0) return failed_call("play", "make a pipe", errno);
  const Descriptor from(failed_to[0]);
  const std::string folder = working_folder();
  const pid_t child = ::fork();
  if (child == 0) become_program(command, signals, served, folder, failed_to[1]);
  const int fork_error = errno;
  ::close(failed_to[1]);
  if (child < 0) return failed_call("play", "start a process", fork_error);
  pollfd waiting = {from.get(), POLLIN, 0};
  while (::poll(&waiting, 1, kSecondMs) == 0) every_second();
  int error = 0;
  if (::read(from.get(), &error, sizeof(error)) != sizeof(error)) return child;
  ::waitpid(child, nullptr, 0);
  return failed_call(command.front(), "start", error,
                     error == ENOENT ? "name a program in PATH, or its file" : "");
}

class Watch {
 public:
  Watch(const KeptProgram& program, ServerProcess& server, pid_t main_process)
      : program_(program), server_(server), main_process_(main_process) {}

  // Until none of the program's processes is left.
  int wait(const sigset_t& signals) {
    while (reap()) {
      const timespec second = {1, 0};
      const int signal = ::sigtimedwait(&signals, nullptr, &second);
      if (signal == SIGTERM || signal == SIGHUP) ::kill(main_process_, signal);
      if (signal < 0) server_.watch();
    }
    return exit_code_;
  }
  bool was_served() const { return was_served_; }

 private:
  // Takes note of who has ended; whether any of the program's is left.
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended < 0 && errno == EINTR) continue;
      if (ended == 0) return !only_server_is_left();
      if (ended < 0) return false;
      if (ended == main_process_) exit_code_ = exit_code_of(status);
      if (ended == main_process_) has_main_ended_ = true;
      if (ended == server_.process()) lose_server(status);
    }
  }

  // Children of ended processes become this one's: whether there are any is seen from the list.
  bool only_server_is_left() const {
    if (!has_main_ended_ || server_.has_ended()) return false;
    const std::string list =
        fmt::format("/proc/self/task/{}/children", static_cast<int>(::getpid()));
    const Descriptor file(::open(list.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 64> text = {};
    if (file.get() < 0 || ::read(file.get(), text.data(), text.size() - 1) < 0) return true;
    return std::string(text.data()) == fmt::format("{} ", server_.process());
  }

  void lose_server(int status) {
    server_.note_ended();
    was_served_ = false;
    uncover(program_.folder);
    program_.warn(fmt::format(
        "{}: the process that served it was ended ({}): from now on the game opens its files "
        "directly. They are whole: nothing of them is ever kept elsewhere. What the game had open "
        "is lost to it; if it hangs or complains, start it again",
        program_.folder,
        WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                            : fmt::format("exit code {}", WEXITSTATUS(status))));
  }

  const KeptProgram& program_;
  ServerProcess& server_;
  pid_t main_process_;
  int exit_code_ = 0;
  bool has_main_ended_ = false;
  bool was_served_ = true;
};

Result<void> cover(const KeptProgram& program, ServerProcess& server) {
  const auto is_root = enter_own_mounts();
  if (!is_root) return std::unexpected(is_root.error());
  const auto device = mount_over(program.folder, *is_root);
  if (!device) return std::unexpected(device.error());
  if (auto handed = server.hand_over(*device, *is_root); !handed) return handed;
  return {};
}

}  // namespace

Result<KeptEnd> keep_program(const KeptProgram& program, FolderServer& server) {
  ServerProcess serving;
  if (auto started = serving.start(program, server); !started)
    return std::unexpected(started.error());
  // Whatever the program leaves behind when its first process ends is waited for, too.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (auto covered = cover(program, serving); !covered) return std::unexpected(covered.error());
  const sigset_t awaited = awaited_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  leave_keys_to_program();
  const auto started =
      start_program(program.command, before, program.folder, [&serving] { serving.watch(); });
  KeptEnd end;
  if (started) {
    Watch watch(program, serving, *started);
    end.exit_code = watch.wait(awaited);
    end.was_served = watch.was_served();
  }
  uncover(program.folder);
  auto told = serving.hear();
  if (!serving.has_ended()) ::waitpid(serving.process(), nullptr, 0);
  if (!started) return std::unexpected(started.error());
  if (!told) return std::unexpected(told.error());
  end.told = *std::move(told);
  return end;
}

Result<int> run_program(const std::vector<std::string>& command) {
  sigset_t signals;
  ::sigprocmask(SIG_BLOCK, nullptr, &signals);
  leave_keys_to_program();
  const auto started = start_program(command, signals, "", [] {});
  if (!started) return std::unexpected(started.error());
  int status = 0;
  while (::waitpid(*started, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

}  // namespace seekless
