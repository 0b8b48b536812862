#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "packer/host/control_groups.h"
#include "packer/host/machine.h"

namespace seekless {

std::string machine_and_system() {
  utsname names = {};
  if (::uname(&names) != 0) return {};
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

uint64_t memory_bytes() {
  struct sysinfo memory = {};
  const uint64_t all =
      sysinfo(&memory) == 0 ? uint64_t{memory.totalram} * memory.mem_unit : uint64_t{0};
  std::ifstream groups("/proc/self/cgroup");
  const uint64_t allowed = allowed_memory_bytes(groups, "/sys/fs/cgroup");
  return all == 0 ? 0 : std::min(all, allowed);
}

uint64_t available_memory_bytes() {
  constexpr uint64_t kKibibyte = 1024;
  std::ifstream told("/proc/meminfo");
  std::string name;
  uint64_t kibibytes = 0;
  // Each line is like "MemAvailable:   12345 kB".
  for (std::string unit; told >> name >> kibibytes && std::getline(told, unit);)
    if (name == "MemAvailable:") return kibibytes * kKibibyte;
  return 0;
}

}  // namespace seekless
