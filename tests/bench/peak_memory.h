// The most memory that a benchmark has held, as Linux counts it. getrusage won't do: after vfork
// it counts what the process held that started the benchmark.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace seekless {

/// Of this program alone, in MiB; 0 where the system doesn't say.
inline uint64_t peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) / 1024;
  return 0;
}

}  // namespace seekless
