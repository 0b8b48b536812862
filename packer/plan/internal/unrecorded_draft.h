// Adds maps that nobody recorded to a draft that was made without them. Recorded content stays
// where it lies, so that no recorded load gets slower. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"

namespace seekless {

inline constexpr const char* kUnrecordedPack = "unrecorded";

// `sweeps` are the assets of scenarios numbered from `first` on, ascending. The first sweep is the
// typical scenario; it is read where it lies. The others are maps, each of which includes what is
// typical. What else they read goes into a pack of their own. It moves there from the cold pack;
// recorded assets are copied there if the budget allows all of the copies.
void lay_unrecorded(const DraftInput& input, const std::vector<std::vector<uint32_t>>& sweeps,
                    uint32_t first, Draft& draft);

}  // namespace seekless
