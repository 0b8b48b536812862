// Adds to a run what was fetched for it, where nobody sees whether the game used that. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "packer/foresee/learned.h"

namespace seekless {

// Counts everything likely of these scenarios (kCore: what all starts share) as read by the run. If
// the run read much else by itself, the game loads something else now; then nothing is added, so
// that what is no longer read is forgotten.
void add_fetched(const Learned& learned, std::span<const uint32_t> scenarios, LearnedRun& run);

}  // namespace seekless
