// Adds the fetched pages to a run, if nothing shows whether the game used them. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "packer/foresee/learned.h"

namespace seekless {

// Counts everything likely of these scenarios (kCore: what all starts share) as read by the run. If
// the run read many other pages by itself, the game loads something else now. Then nothing is
// added, so that pages that are no longer read are forgotten.
void add_fetched(const Learned& learned, std::span<const uint32_t> scenarios, LearnedRun& run);

}  // namespace seekless
