// The answer of 'warm': what was read into memory, or would be.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/warm/cache_filler.h"
#include "packer/warm/warm_files.h"

namespace seekless {

// Says how long a drive would take, with nothing in memory.
struct ForecastWarming {
  std::string drive;
  std::optional<double> seconds;  // of the files whose places are known; none: of no file they are
  // Files in folders whose places aren't known; finding them takes longer.
  uint64_t unfound_files = 0;
};

struct Warming {
  std::string scenario;            // empty: all
  std::set<std::string> left_out;  // files that traces read, but aren't to be warmed
  WarmFiles files;
  WarmReport report;
  std::optional<ForecastWarming> forecast;  // instead of having read anything
};

// Names the first three paths: "'a', 'b', 'c'".
std::string examples(const std::vector<std::string>& paths);

// Warns before `bytes` of the files are read on a machine with so much memory.
std::vector<std::string> warnings_of(const WarmFiles& files, uint64_t bytes, uint64_t memory_bytes);

std::string to_text(const Warming& warming);  // without the last line's end
nlohmann::ordered_json to_json(const Warming& warming);

}  // namespace seekless
