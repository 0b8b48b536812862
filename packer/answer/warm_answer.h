// Defines the answer of 'warm': which files were read into memory, or would be.
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

// Predicts how long a drive would take with nothing cached.
struct ForecastWarming {
  std::string drive;
  // Time for the files whose places are known; none if no place is known.
  std::optional<double> seconds;
  // Time of the same loads as shipped, with files in their real places: the sum over the scenarios;
  // none if unknown.
  std::optional<double> as_shipped_s = {};
  // Number of files in folders without a known place, which take additional time to find.
  uint64_t unfound_files = 0;
};

struct Warming {
  std::string scenario;            // empty for all scenarios
  std::set<std::string> left_out;  // files that traces read, but that aren't warmed
  WarmFiles files;
  WarmReport report;
  std::optional<ForecastWarming> forecast;  // set on a dry run, which reads nothing
};

// Returns the first three paths as a text: "'a', 'b', 'c'".
std::string examples(const std::vector<std::string>& paths);

// Returns warnings to show before `bytes` of the files are read on a machine with this much memory.
std::vector<std::string> warnings_of(const WarmFiles& files, uint64_t bytes, uint64_t memory_bytes);

std::string to_text(const Warming& warming);  // the last line has no newline
nlohmann::ordered_json to_json(const Warming& warming);

}  // namespace seekless
