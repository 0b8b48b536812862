// Finds the files that a scenario reads, in load order. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/simulate/content_runs.h"

namespace seekless {

// Files are indexes in Content::sources.
struct ScenarioFiles {
  std::string scenario;
  std::vector<uint32_t> runs;  // indexes in the kept runs
  // Files that at least half of the runs read, in the order of first reads.
  std::vector<uint32_t> files;
};

// Returns the scenarios sorted by name.
std::vector<ScenarioFiles> files_by_scenario(const KeptRuns& runs);

}  // namespace seekless
