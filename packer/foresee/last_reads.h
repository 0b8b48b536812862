// Tells which reads a scenario's last run did, as far as that is known. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

struct LearnedRead {
  PageKey first = 0;
  uint64_t pages = 0;  // in succession

  bool operator==(const LearnedRead&) const = default;
};

// Joins the pages of each read of the last run, in their order. If its reads aren't known, takes
// the pages that most runs read, and counts pages that follow each other as one read.
std::vector<LearnedRead> last_reads(const LearnedScenario& scenario);

}  // namespace seekless
