#include "packer/serve/keeper.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <new>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/os_error.h"
#include "packer/serve/internal/held_signals.h"
#include "packer/serve/internal/own_rights.h"
#include "packer/serve/internal/private_mount.h"
#include "packer/serve/internal/program_start.h"
#include "packer/serve/internal/server_process.h"

namespace seekless {
namespace {

constexpr timespec kBetweenLooks = {1, 0};

// While this object lives, processes that the program leaves behind when its first process ends
// become children of this process.
class Adoption {
 public:
  Adoption() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Adoption() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;

 private:
  int before_ = 0;
};

// Returns nothing if the system doesn't tell.
std::optional<std::vector<pid_t>> children() {
  const std::string list = fmt::format("/proc/self/task/{}/children", static_cast<int>(::getpid()));
  const Descriptor file(::open(list.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(piece.data(), static_cast<size_t>(got));
  }
  std::vector<pid_t> found;
  for (size_t at = 0; at < text.size(); at = text.find(' ', at) + 1) {
    pid_t child = 0;
    std::from_chars(text.data() + at, text.data() + text.size(), child);
    found.push_back(child);
    if (text.find(' ', at) == std::string::npos) break;
  }
  return found;
}

class Watch {
 public:
  Watch(const KeptProgram& program, ServerProcess& server, pid_t main_process)
      : program_(program), server_(server), main_process_(main_process) {}

  // Waits until none of the program's processes is left.
  int wait(const HeldSignals& signals) {
    while (reap()) {
      const auto signal = signals.wait(kBetweenLooks);
      if (signal && *signal != 0) hand_on(*signal);
      if (!signal) server_.watch();
    }
    return exit_code_;
  }
  bool was_served() const { return was_served_; }

 private:
  // Collects ended processes; returns true if any of the program's is left.
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

  // Passes the signal to the program, or to the processes that it left behind.
  void hand_on(int signal) const {
    if (!has_main_ended_) {
      ::kill(main_process_, signal);
      return;
    }
    for (const pid_t child : children().value_or(std::vector<pid_t>()))
      if (child != server_.process()) ::kill(child, signal);
  }

  // Returns true if only the server is left. Children of ended processes become this process's
  // children, so the list of children shows whether any is left.
  bool only_server_is_left() const {
    if (!has_main_ended_ || server_.has_ended()) return false;
    const auto left = children();
    return !left || *left == std::vector{server_.process()};
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

// Gives this process its own name space of mounts, covers the folder, and hands the server the
// device.
Result<void> cover(const KeptProgram& program, ServerProcess& server) {
  SKL_TRY(const auto is_root, enter_own_mounts());
  SKL_TRY(const auto device, mount_over(program.folder, is_root));
  auto handed = server.hand_over(device, is_root);
  if (!handed) uncover(program.folder);
  return handed;
}

// Runs the program with the folder covered and the server at work. Returns nothing if the program
// didn't start.
Result<std::optional<KeptEnd>> run_covered(const KeptProgram& program, ServerProcess& serving) {
  const Adoption adoption;
  const HeldSignals signals;
  const auto started =
      start_covered(program.command, signals, program.folder, [&serving] { serving.watch(); });
  std::optional<KeptEnd> end;
  if (started && *started) {
    Watch watch(program, serving, **started);
    const int exit_code = watch.wait(signals);
    end = KeptEnd{.exit_code = exit_code, .was_served = watch.was_served(), .told = ""};
  }
  uncover(program.folder);
  if (!started) return std::unexpected(started.error());
  return end;
}

Result<KeptEnd> run_unserved(const KeptProgram& program, const Error& why) {
  try {
    program.warn(why.message + ": the game is run without being served");
  } catch (const std::bad_alloc&) {
    // Memory is too short for the warning; the game may need less.
  }
  SKL_TRY(const auto exit_code, run_program(program.command));
  return KeptEnd{.exit_code = exit_code, .was_served = false, .told = ""};
}

// Waits for the server's result. The server may work for long after the program has ended; this
// process can be killed meanwhile.
Result<std::string> hear_end(ServerProcess& serving) {
  auto told = serving.hear();
  if (!serving.has_ended()) ::waitpid(serving.process(), nullptr, 0);
  return told;
}

}  // namespace

bool is_watched(const ServedFolder& served) {
  return ::getppid() == served.keeper;
}

Result<KeptEnd> keep_program(const KeptProgram& program, FolderServer& server) {
  // Root needs no user name space, so programs keep their rights.
  if (auto keeps = ::geteuid() == 0 ? Result<void>{} : check_keeps_rights(program.command.front());
      !keeps)
    return run_unserved(program, keeps.error());
  // A separate process tries it first: if only a part of it worked here, this process would stay in
  // a name space in which the program can't run as it would without seekless.
  if (auto can = try_to_mount(program.folder); !can) return run_unserved(program, can.error());
  ServerProcess serving;
  if (auto started = serving.start(program, server); !started) {
    serving.give_up();
    return run_unserved(program, started.error());
  }
  if (auto covered = cover(program, serving); !covered) {
    serving.give_up();
    return run_unserved(program, covered.error());
  }
  auto end = run_covered(program, serving);
  auto told = hear_end(serving);
  if (!end) return std::unexpected(end.error());
  if (!*end)
    return run_unserved(
        program, told ? failed_call("play", "start a process", EAGAIN).error() : told.error());
  if (told)
    (*end)->told = *std::move(told);
  else
    program.warn(told.error().message);
  return **std::move(end);
}

Result<int> run_program(const std::vector<std::string>& command) {
  const HeldSignals signals;
  SKL_TRY(const auto started, start_program(command, signals));
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(started, &status, WNOHANG);
    if (ended == started) return exit_code_of(status);
    if (ended < 0 && errno != EINTR) return failed_call(command.front(), "wait for", errno);
    const auto signal = signals.wait(kBetweenLooks);
    if (signal && *signal != 0) ::kill(started, *signal);
  }
}

}  // namespace seekless
