// What a sweep brings of scenarios: the pages that they are likely to read, and what lies between
// two of them where earlier runs read now this and now that. Pure.
#pragma once

#include <span>
#include <vector>

#include "packer/foresee/learned.h"

namespace seekless {

// What all starts share, in the order of the one that was run most often.
std::vector<PageKey> swept_core(const Learned& learned);

// A scenario's own, in its order: without those of swept_core().
std::vector<PageKey> swept_own(const LearnedScenario& scenario, std::span<const PageKey> core);

}  // namespace seekless
