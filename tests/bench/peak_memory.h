// Finds the most memory that a benchmark has held, as Linux counts it. getrusage doesn't work:
// after vfork it also counts the process that started the benchmark.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

namespace seekless {

/// Returns the peak of this program alone, in MiB; 0 if the system doesn't say.
inline uint64_t peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) / 1024;
  return 0;
}

}  // namespace seekless
