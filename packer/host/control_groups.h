// Finds what Linux' control groups allow a process. Containers and services of systemd have less
// memory, and fewer processes, than the machine.
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace seekless {

// Both return the lowest limit of any group above the process, of both versions of control groups;
// UINT64_MAX if there is none. `groups` is /proc/self/cgroup, as in cgroups(7); `folder` is where
// groups are mounted, /sys/fs/cgroup.
uint64_t allowed_memory_bytes(std::istream& groups, const std::string& folder);
// Counts the processes and threads that can still be made.
uint64_t allowed_new_tasks(std::istream& groups, const std::string& folder);

}  // namespace seekless
