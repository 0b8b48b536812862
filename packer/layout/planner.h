// Makes a layout of a profile and content. Pure: neither disk nor clock, and the same input gives
// the same layout.
#pragma once

#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/host/error.h"
#include "packer/layout/layout.h"
#include "packer/profile/profile.h"

namespace seekless {

struct AlignmentRule {
  std::string glob;
  uint32_t alignment_bytes = kDefaultAlignmentBytes;
};

struct PlanOptions {
  uint32_t block_bytes = kDefaultLayoutBlockBytes;
  bool fold_case = false;
  std::vector<AlignmentRule> alignments;  // the last one that matches counts
};

struct Plan {
  Layout layout;
  std::vector<std::string> gone;  // in the profile, but not in the content
};

// One pack for what several scenarios read (common), one for each scenario for what it alone reads,
// and one for what none reads (cold); none of them empty.
//
// A scenario's order is that of its first run; what only later runs read goes behind what preceded
// it there. In the common pack, what the same scenarios read lies together: what most of them read
// first. Cold assets lie by path.
Plan plan_layout(const Profile& profile, const Content& content, const PlanOptions& options);

// The order in which one scenario's assets were read, over all of its runs.
std::vector<uint32_t> merge_runs(const ProfiledScenario& scenario);

}  // namespace seekless
