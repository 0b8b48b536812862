// Computes the sums of a report, and sentences about them.
#pragma once

#include <string>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Adds up all scenarios, each loaded once.
struct LoadTotal {
  uint64_t needed_bytes = 0;
  LoadCost before;
  LoadCost after;
  double bound_seconds = 0;
};

struct PackTotal {
  uint64_t assets = 0;
  uint64_t file_bytes = 0;
  uint64_t content_bytes = 0;
  uint64_t padding_bytes = 0;
};

LoadTotal total_of(const std::vector<ScenarioReport>& scenarios);
PackTotal total_of(const std::vector<PackReport>& packs);

// Says in one or two sentences what the planner copied, and what that gains.
std::string copies_sentence(const PlanReport& plan);
// Says the same in one line.
std::string copies_note(const PlanReport& plan);

}  // namespace seekless
