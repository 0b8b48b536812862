#include "packer/serve/internal/task_budget.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "packer/host/control_groups.h"

namespace seekless {
namespace {

constexpr uint64_t kOfGame = 200;
// The server, its threads that learn and fetch, and a few that answer.
constexpr uint64_t kOfServer = 32;

// Returns how many more tasks can be made, at most.
uint64_t new_tasks() {
  std::ifstream groups("/proc/self/cgroup");
  const uint64_t allowed = allowed_new_tasks(groups, "/sys/fs/cgroup");
  rlimit limit = {};
  // The user's current processes aren't counted: that would take reading the status of all
  // processes.
  const bool is_limited = ::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0;
  return is_limited ? std::min<uint64_t>(allowed, limit.rlim_cur) : allowed;
}

}  // namespace

Result<void> check_tasks() {
  const uint64_t possible = new_tasks();
  if (possible >= kOfGame + kOfServer) return {};
  return failed({.place = "play",
                 .expected = fmt::format("that {} more processes and threads may be made",
                                         kOfGame + kOfServer),
                 .found = fmt::format("{}", possible),
                 .advice = "allow more (pids.max of the control group: systemd TasksMax=, "
                           "containers --pids-limit; or ulimit -u)"});
}

unsigned most_threads(uint64_t folders) {
  constexpr uint64_t kPlenty = 1 << 16;
  const uint64_t possible = new_tasks();
  const uint64_t spare = possible - std::min(possible, kOfGame);
  return static_cast<unsigned>(std::clamp<uint64_t>(spare / folders, 1, kPlenty));
}

}  // namespace seekless
