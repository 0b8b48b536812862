#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/folder_lock.h"
#include "packer/host/os_error.h"
#include "packer/serve/lay_out_process.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

constexpr const char* kProcessName = "seekless-layout";
constexpr const char* kThisProgram = "/proc/self/exe";

[[noreturn]] void become(const std::string& program, std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(program.c_str(), arguments.data());
  ::_exit(1);
}

// Keeps nothing of whoever started the game: descriptors, signals, terminal, working folder.
void let_go_of_all() {
  ::setsid();
  static_cast<void>(!::chdir("/"));
  ::closefrom(3);  // also where Linux lacks close_range, before 5.9
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
  if (nowhere > 2) ::close(nowhere);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGPIPE, SIGXFSZ})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// systemd replaces $NAME in the arguments of a service, and $$ by a single dollar.
std::string without_variables(const std::string& word) {
  std::string plain;
  for (const char c : word) plain += c == '$' ? "$$" : std::string(1, c);
  return plain;
}

bool is_run_by_systemd(const std::string& program, const std::vector<std::string>& words) {
  std::vector<std::string> service = {"systemd-run", "--user", "--quiet",
                                      "--collect",   "--",     program};
  for (const std::string& word : words) service.push_back(without_variables(word));
  const pid_t child = ::fork();
  if (child == 0) become(service.front(), service);
  int status = 1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

}  // namespace

Result<void> start_laying_out(const std::vector<std::string>& words) {
  std::error_code error;
  const std::string program = std::filesystem::read_symlink(kThisProgram, error).string();
  const pid_t child = ::fork();
  if (child < 0) return failed_call("--auto", "start a process", errno);
  if (child == 0) {
    if (::fork() != 0) ::_exit(0);
    let_go_of_all();
    if (!error && is_run_by_systemd(program, words)) ::_exit(0);
    std::vector<std::string> all = {"seekless"};
    all.insert(all.end(), words.begin(), words.end());
    become(kThisProgram, std::move(all));
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {};
}

void be_laying_out() {
  constexpr int kLowest = 19;
  ::prctl(PR_SET_NAME, kProcessName);
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kLowest));
  // If the priority can't be lowered, laying out is still worth it.
  static_cast<void>(read_when_idle());
}

void end_after(std::chrono::seconds time) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  ::signal(SIGALRM, [](int) { ::_exit(0); });
  ::alarm(static_cast<unsigned>(time.count()));
}

std::optional<int> laying_out(const std::string& state_folder) {
  const auto holder = FolderLock::holder(state_folder);
  if (!holder) return std::nullopt;
  std::ifstream file(fmt::format("/proc/{}/comm", *holder));
  std::string name;
  std::getline(file, name);
  return name == kProcessName ? holder : std::nullopt;
}

void stop_laying_out(int process) {
  ::kill(process, SIGTERM);
}

}  // namespace seekless
