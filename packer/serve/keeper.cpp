#include "packer/serve/keeper.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <ctime>
#include <new>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "packer/serve/internal/held_signals.h"
#include "packer/serve/internal/own_rights.h"
#include "packer/serve/internal/private_mount.h"
#include "packer/serve/internal/program_start.h"
#include "packer/serve/internal/server_process.h"
#include "packer/serve/internal/task_budget.h"
#include "packer/serve/internal/wine_server.h"
#include "packer/serve/serving_parts.h"

namespace seekless {
namespace {

constexpr timespec kBetweenLooks = {1, 0};
// A server usually answers at once, but it may first have to read what was learned from a busy
// disk.
constexpr int kLongestStartSeconds = 30;
// A watcher asks file systems, and one of them may not answer. Before the program starts, the
// watcher has nothing to lose. At its end it gives up asking by itself, but still has to store what
// it learned.
constexpr int kLongestWatcherStartSeconds = 10;
constexpr int kLongestWatcherEndSeconds = 15;

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
  // `strangers` are children that this process had before.
  Watch(const KeptProgram& program, PrivateMounts& covers, ServerProcess& server,
        pid_t main_process, std::vector<pid_t> strangers)
      : program_(program),
        covers_(covers),
        server_(server),
        main_process_(main_process),
        strangers_(std::move(strangers)) {}

  // Waits until none of the program's processes is left.
  int wait(const HeldSignals& signals) {
    // Children may end, and wake this process up, many times a second.
    auto looked = std::chrono::steady_clock::now();
    while (reap()) {
      const auto signal = signals.wait(kBetweenLooks);
      if (signal && *signal != 0) hand_on(*signal);
      const auto now = std::chrono::steady_clock::now();
      if (now - looked < std::chrono::seconds(kBetweenLooks.tv_sec)) continue;
      server_.watch();
      looked = now;
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
      if (ended == 0) return !has_program_ended();
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
      if (is_of_program(child)) ::kill(child, signal);
  }

  bool is_of_program(pid_t child) const {
    return child != server_.process() && std::ranges::find(strangers_, child) == strangers_.end();
  }

  // Returns true if none of the program's processes is left. Children of ended processes become
  // this process's children, so the list of children shows whether any is left.
  bool has_program_ended() const {
    if (!has_main_ended_) return false;
    const auto left = children();
    if (!left) return !server_.has_ended();
    return std::ranges::none_of(*left, [&](pid_t child) { return is_of_program(child); });
  }

  void lose_server(int status) {
    server_.note_ended();
    was_served_ = false;
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                : fmt::format("exit code {}", WEXITSTATUS(status));
    if (covers_.folders().empty()) {
      program_.warn(fmt::format(
          "the process that watched the game was ended ({}); the game goes on without it", how));
      return;
    }
    covers_.uncover();
    program_.warn(fmt::format(
        "{}: the process that served it was ended ({}): from now on the game opens its files "
        "directly. They are whole: nothing of them is ever kept elsewhere. What the game had open "
        "is lost to it; if it hangs or complains, start it again",
        fmt::join(covers_.folders(), ", "), how));
  }

  const KeptProgram& program_;
  PrivateMounts& covers_;
  ServerProcess& server_;
  pid_t main_process_;
  std::vector<pid_t> strangers_;
  int exit_code_ = 0;
  bool has_main_ended_ = false;
  bool was_served_ = true;
};

// Opens the folders and files before they are covered. `errors` gets those that can't be served.
std::vector<ServedFolder> open_folders(const std::vector<std::string>& paths,
                                       std::vector<Error>& errors) {
  std::vector<ServedFolder> opened;
  for (const std::string& path : paths) {
    if (has_wine_server(path)) {
      errors.push_back(failed({.file = path,
                               .expected = "a prefix that nobody uses",
                               .found = "a Wine server at work",
                               .advice = "end it by 'wineserver -k' before the game starts"})
                           .error());
      continue;
    }
    auto folder = std::make_shared<Descriptor>(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (folder->get() >= 0)
      opened.push_back({.path = path, .folder = std::move(folder)});
    else
      errors.push_back(failed_call(path, "open", errno).error());
  }
  return opened;
}

// Covers the folders, and hands the server the devices. `errors` gets those that can't be covered.
// Fails if no folder can be covered.
Result<void> cover(const std::vector<ServedFolder>& folders, PrivateMounts& covers,
                   ServerProcess& server, std::vector<Error>& errors) {
  SKL_TRY_DO(covers.begin());
  for (size_t i = 0; i < folders.size(); ++i) {
    const auto device = covers.cover(folders[i].path);
    if (!device)
      errors.push_back(device.error());
    else
      SKL_TRY_DO(server.hand_over(i, *device));
  }
  if (covers.folders().empty()) return std::unexpected(errors.front());
  return server.begin(covers.is_root());
}

// Runs the program with the folders covered, if any are, and the server at work. Returns nothing if
// the program didn't start.
Result<std::optional<KeptEnd>> run_covered(const KeptProgram& program,
                                           const std::vector<pid_t>& strangers,
                                           PrivateMounts& covers, ServerProcess& serving) {
  const Adoption adoption;
  const HeldSignals signals;
  int seconds = 0;
  const auto started = start_covered(program.command, signals, covers.folders(), [&] {
    serving.watch();
    // A server that answers nobody must not keep the program from starting.
    if (++seconds == kLongestStartSeconds) serving.kill();
  });
  std::optional<KeptEnd> end;
  if (started && *started) {
    Watch watch(program, covers, serving, **started, strangers);
    const int exit_code = watch.wait(signals);
    HeldSignals::keep_exit_code(exit_code);
    end = KeptEnd{.exit_code = exit_code, .was_served = watch.was_served(), .told = ""};
  }
  covers.uncover();
  serving.end();
  if (!started) return std::unexpected(started.error());
  return end;
}

// Even if there is too little memory for the warning, the game may have enough.
void warn_if_possible(const KeptProgram& program, std::string_view one, std::string_view two) {
  try {
    program.warn(std::string(one) + std::string(two));
  } catch (const std::bad_alloc&) {
  }
}

Result<KeptEnd> run_unserved(const KeptProgram& program, const Error& why) {
  warn_if_possible(program, why.message, "; the game is run without being served");
  SKL_TRY(const auto exit_code, run_program(program.command));
  return KeptEnd{.exit_code = exit_code, .was_served = false, .told = ""};
}

// Waits for the server's result. The server may work for long after the program has ended; a
// signal to this process meanwhile cuts that short.
Result<std::string> hear_end(ServerProcess& serving) {
  auto told = serving.hear();
  if (!serving.has_ended()) serving.wait_for_end();
  return told;
}

// Runs the program while the server is at work, and returns the server's answer. The server gets
// `end_seconds` to end; 0: as long as it takes.
Result<KeptEnd> run_beside(const KeptProgram& program, const std::vector<pid_t>& strangers,
                           PrivateMounts& covers, ServerProcess& serving, int end_seconds) {
  auto end = run_covered(program, strangers, covers, serving);
  serving.limit(end_seconds);
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

// Runs the program where its folders can't be served, with the watcher at work.
Result<KeptEnd> run_watched(const KeptProgram& program, const std::vector<pid_t>& strangers,
                            FolderServer& watcher, const Error& why) {
  ServerProcess watching;
  watching.limit(kLongestWatcherStartSeconds);
  auto started = watching.start({}, watcher);
  watching.limit(0);
  if (started) started = watching.begin(false);
  if (!started) {
    watching.give_up();
    warn_if_possible(program, started.error().message, "");
    return run_unserved(program, why);
  }
  warn_if_possible(
      program, why.message,
      "; the game is run without being served, but what it needs is fetched beside it");
  PrivateMounts no_covers;
  SKL_TRY(auto end, run_beside(program, strangers, no_covers, watching, kLongestWatcherEndSeconds));
  end.was_watched = std::exchange(end.was_served, false);
  return end;
}

// The server holds one descriptor for each file that the game has open, and some for itself. With
// fewer, the game couldn't open files that it opens plainly.
Result<void> check_descriptors(size_t folders) {
  constexpr rlim_t kOfGame = 200;
  constexpr rlim_t kOfServer = 55;  // what descriptor_budget() allows then, and ten more
  rlimit limit = {};
  const rlim_t needed = kOfGame + kOfServer + folders;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= needed) return {};
  return failed({.place = "play",
                 .expected = fmt::format("that a process may have {} open files", needed),
                 .found = fmt::format("a limit of {}", limit.rlim_max),
                 .advice = "allow more (ulimit -Hn)"});
}

Result<void> check_can_cover(const KeptProgram& program) {
  SKL_TRY_DO(check_can_serve("; or use 'seekless warm'"));
  SKL_TRY_DO(check_descriptors(program.folders.size()));
  // Root needs no user name space, so programs keep their rights.
  if (::geteuid() != 0) SKL_TRY_DO(check_keeps_rights(program.command.front()));
  return try_to_mount(program.folders);
}

}  // namespace

bool is_watched(const ServedFolders& served) {
  pollfd keeper = {served.end, POLLRDHUP, 0};
  return ::poll(&keeper, 1, 0) == 0;
}

void note_end_of_watch(const ServedFolders& served) {
  ::signal(kHurry, [](int) { set_interrupted(true); });
  if (!is_watched(served)) set_interrupted(true);
}

Result<KeptEnd> keep_program(const KeptProgram& program, FolderServer& server,
                             FolderServer& watcher) {
  if (const auto enough = check_tasks(); !enough) return run_unserved(program, enough.error());
  // A shell may have replaced itself by this process; what it started before isn't waited for.
  const std::vector<pid_t> strangers = children().value_or(std::vector<pid_t>());
  std::vector<Error> errors;
  const std::vector<ServedFolder> folders = open_folders(program.folders, errors);
  if (folders.empty()) return run_unserved(program, errors.front());
  if (const auto able = check_can_cover(program); !able)
    return run_watched(program, strangers, watcher, able.error());
  PrivateMounts covers;
  ServerProcess serving;
  if (auto started = serving.start(folders, server); !started) {
    serving.give_up();
    return run_unserved(program, started.error());
  }
  if (auto covered = cover(folders, covers, serving, errors); !covered) {
    covers.uncover();
    serving.give_up();
    return run_unserved(program, covered.error());
  }
  for (const Error& error : errors)
    program.warn(error.message + "; this folder isn't served, but the others are");
  return run_beside(program, strangers, covers, serving, 0);
}

Result<int> run_program(const std::vector<std::string>& command) {
  const HeldSignals signals;
  if (!check_tasks()) return become_program(command, signals);
  SKL_TRY(const auto started, start_program(command, signals));
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(started, &status, WNOHANG);
    if (ended == started) {
      HeldSignals::keep_exit_code(exit_code_of(status));
      return exit_code_of(status);
    }
    if (ended < 0 && errno != EINTR) return failed_call(command.front(), "wait for", errno);
    const auto signal = signals.wait(kBetweenLooks);
    if (signal && *signal != 0) ::kill(started, *signal);
  }
}

}  // namespace seekless
