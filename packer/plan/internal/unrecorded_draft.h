// Adds unrecorded maps to a draft made without them. Recorded content stays in its place, so that
// no recorded load gets slower. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"

namespace seekless {

inline constexpr const char* kUnrecordedPack = "unrecorded";

// `sweeps` lists the assets of scenarios numbered from `first` on, ascending. The first sweep is
// the typical scenario; its assets stay in their places. The others are maps, each of which
// includes the typical assets. Their other assets get a separate pack: they move there from the
// cold pack, and recorded assets are copied there if the budget allows all of the copies.
void lay_unrecorded(const DraftInput& input, const std::vector<std::vector<uint32_t>>& sweeps,
                    uint32_t first, Draft& draft);

}  // namespace seekless
