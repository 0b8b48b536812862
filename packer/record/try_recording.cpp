#include "packer/record/try_recording.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/os_error.h"
#include "packer/record/internal/call_filter.h"
#include "packer/record/internal/call_state.h"
#include "packer/record/internal/tracer.h"

namespace seekless {
namespace {

// Waits until it is traced, then makes a call that the filter stops.
[[noreturn]] void open_a_file(const std::vector<sock_filter>& filter, int go) {
  char byte = 0;
  while (::read(go, &byte, 1) < 0 && errno == EINTR) {
  }
  const int os_error = install_call_filter(filter);
  if (os_error != 0) ::_exit(os_error);
  ::close(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::_exit(0);
}

Result<void> stop_at_call(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, __WALL) < 0)
    if (errno != EINTR) return failed_call("record", "wait for the process", errno);
  if (WIFEXITED(status)) return no_call_filter(WEXITSTATUS(status));
  const bool is_call = WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_SECCOMP;
  if (is_call && call_at_filter(static_cast<uint32_t>(process))) return {};
  return no_ptrace(errno);
}

}  // namespace

Result<void> try_recording() {
  const std::vector<sock_filter> filter = make_call_filter();
  std::array<int, 2> go;
  if (::pipe2(go.data(), O_CLOEXEC) != 0) return failed_call("record", "make a pipe", errno);
  const Descriptor waits(go[0]);
  Descriptor goes(go[1]);
  const pid_t child = ::fork();
  if (child < 0) return failed_call("record", "start a process", errno);
  if (child == 0) {
    ::close(go[1]);
    open_a_file(filter, go[0]);
  }
  const bool is_traced =
      ::ptrace(PTRACE_SEIZE, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP) == 0;
  const int os_error = errno;
  goes = Descriptor(-1);
  auto tried = is_traced ? stop_at_call(child) : no_ptrace(os_error);
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, __WALL) < 0 && errno == EINTR) {
  }
  return tried;
}

}  // namespace seekless
