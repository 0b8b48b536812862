// Which whole files a scenario reads, in load order. Pure, but for what the recordings are read by.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/simulate/content_runs.h"

namespace seekless {

// Files are numbers in Content::sources.
struct ScenarioFiles {
  std::string scenario;
  std::vector<uint32_t> runs;   // numbers in the kept runs
  std::vector<uint32_t> files;  // read by half of the runs or more, in the order of first reads
};

// By scenario's name.
std::vector<ScenarioFiles> files_by_scenario(const KeptRuns& runs);

}  // namespace seekless
