#include "packer/warm/internal/control_groups.h"

#include <algorithm>
#include <fstream>

namespace seekless {
namespace {

// Prefixes of the single hierarchy (version 2), and of memory's own one (version 1).
constexpr std::string_view kUnified = "0::";
constexpr std::string_view kMemory = ":memory:";

// "max" stands for no limit.
uint64_t limit_in(const std::string& file) {
  std::ifstream limit(file);
  uint64_t bytes = 0;
  return limit >> bytes ? bytes : UINT64_MAX;
}

// Returns the lowest limit of the group at `path`, which begins with a slash, and those above it.
uint64_t least_limit(const std::string& mounted, std::string path, const std::string& file) {
  uint64_t least = limit_in(mounted + path + file);
  while (!path.empty()) {
    path.resize(std::min(path.rfind('/'), path.size() - 1));
    least = std::min(least, limit_in(mounted + path + file));
  }
  return least;
}

}  // namespace

uint64_t allowed_memory_bytes(std::istream& groups, const std::string& folder) {
  uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with(kUnified)) {
      least = std::min(least, least_limit(folder, line.substr(kUnified.size()), "/memory.max"));
    } else if (const size_t at = line.find(kMemory); at != std::string::npos) {
      least = std::min(least, least_limit(folder + "/memory", line.substr(at + kMemory.size()),
                                          "/memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace seekless
