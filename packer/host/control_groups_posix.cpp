#include <algorithm>
#include <fstream>
#include <functional>
#include <string_view>

#include "packer/host/control_groups.h"

namespace seekless {
namespace {

// Prefix of the single hierarchy (version 2). In version 1 each controller has its own.
constexpr std::string_view kUnified = "0::";

// Returns a limit of the group that has this folder.
using LimitOf = std::function<uint64_t(const std::string& group)>;

// "max" stands for no limit.
uint64_t limit_in(const std::string& file) {
  std::ifstream limit(file);
  uint64_t count = 0;
  return limit >> count ? count : UINT64_MAX;
}

uint64_t new_tasks_in(const std::string& group) {
  const uint64_t most = limit_in(group + "/pids.max");
  const uint64_t now = limit_in(group + "/pids.current");
  return most == UINT64_MAX || now == UINT64_MAX ? UINT64_MAX : most - std::min(most, now);
}

// Returns the lowest limit of the group at `path`, which begins with a slash, and those above it.
uint64_t least_limit(const std::string& mounted, std::string path, const LimitOf& limit_of) {
  uint64_t least = limit_of(mounted + path);
  while (!path.empty()) {
    path.resize(std::min(path.rfind('/'), path.size() - 1));
    least = std::min(least, limit_of(mounted + path));
  }
  return least;
}

uint64_t least_limit_of(std::istream& groups, const std::string& folder,
                        const std::string& controller, const LimitOf& unified, const LimitOf& own) {
  const std::string of_controller = ":" + controller + ":";
  uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with(kUnified))
      least = std::min(least, least_limit(folder, line.substr(kUnified.size()), unified));
    else if (const size_t at = line.find(of_controller); at != std::string::npos)
      least = std::min(least, least_limit(folder + "/" + controller,
                                          line.substr(at + of_controller.size()), own));
  }
  return least;
}

}  // namespace

uint64_t allowed_memory_bytes(std::istream& groups, const std::string& folder) {
  return least_limit_of(
      groups, folder, "memory",
      [](const std::string& group) { return limit_in(group + "/memory.max"); },
      [](const std::string& group) { return limit_in(group + "/memory.limit_in_bytes"); });
}

uint64_t allowed_new_tasks(std::istream& groups, const std::string& folder) {
  return least_limit_of(groups, folder, "pids", new_tasks_in, new_tasks_in);
}

}  // namespace seekless
