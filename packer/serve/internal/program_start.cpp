#include "packer/serve/internal/program_start.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

constexpr int kSecondMs = 1000;
constexpr int kSignalled = 128;

// Says why the child could not become the program.
struct StartFailure {
  enum class StartStep : int { enter, exec } step;
  int os_error;
};

// Only the program waits for the server, never the watching process.
bool enter_again(const std::vector<std::string>& covered) {
  struct stat status = {};
  for (const std::string& folder : covered)
    if (::stat(folder.c_str(), &status) != 0) return false;
  std::array<char, 4096> path;
  if (::getcwd(path.data(), path.size()) != nullptr) static_cast<void>(!::chdir(path.data()));
  return true;
}

// Returns the error; on success it doesn't return.
int execute(const std::vector<std::string>& command, const HeldSignals& signals) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  signals.give_back();
  ::execvp(arguments[0], arguments.data());
  return errno;
}

std::unexpected<Error> no_start(const std::string& program, int os_error) {
  return failed_call(program, "start", os_error,
                     os_error == ENOENT ? "name a program in PATH, or its file" : "");
}

// Returns nothing if the system can't create a process. `covered` may be empty.
std::optional<pid_t> start_child(const std::vector<std::string>& command,
                                 const HeldSignals& signals,
                                 const std::vector<std::string>& covered,
                                 const std::function<void()>& every_second,
                                 std::optional<StartFailure>& failure) {
  std::array<int, 2> failed_to;
  if (::pipe2(failed_to.data(), O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor from(failed_to[0]);
  const pid_t child = ::fork();
  if (child == 0) {
    StartFailure why = {StartFailure::StartStep::enter, 0};
    if (covered.empty() || enter_again(covered))
      why = {StartFailure::StartStep::exec, execute(command, signals)};
    [[maybe_unused]] const ssize_t put = ::write(failed_to[1], &why, sizeof(why));
    ::_exit(kSignalled - 1);
  }
  ::close(failed_to[1]);
  if (child < 0) return std::nullopt;
  pollfd waiting = {from.get(), POLLIN, 0};
  while (::poll(&waiting, 1, kSecondMs) == 0) every_second();
  StartFailure why = {};
  if (::read(from.get(), &why, sizeof(why)) != sizeof(why)) return child;
  ::waitpid(child, nullptr, 0);
  failure = why;
  return child;
}

}  // namespace

std::unexpected<Error> become_program(const std::vector<std::string>& command,
                                      const HeldSignals& signals) {
  return no_start(command.front(), execute(command, signals));
}

Result<pid_t> start_program(const std::vector<std::string>& command, const HeldSignals& signals) {
  std::optional<StartFailure> failure;
  const auto child = start_child(
      command, signals, {}, [] {}, failure);
  if (!child) return become_program(command, signals);
  if (failure) return no_start(command.front(), failure->os_error);
  return *child;
}

Result<std::optional<pid_t>> start_covered(const std::vector<std::string>& command,
                                           const HeldSignals& signals,
                                           const std::vector<std::string>& covered,
                                           const std::function<void()>& every_second) {
  std::optional<StartFailure> failure;
  const auto child = start_child(command, signals, covered, every_second, failure);
  if (!failure) return child;
  if (failure->step == StartFailure::StartStep::exec)
    return no_start(command.front(), failure->os_error);
  return std::nullopt;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace seekless
