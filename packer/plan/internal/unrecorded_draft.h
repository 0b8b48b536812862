// Maps that nobody recorded, in a draft that was made without them: what was recorded stays where
// it lies, so that no recorded load takes longer for them. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "packer/plan/draft.h"

namespace seekless {

inline constexpr const char* kUnrecordedPack = "unrecorded";

// `sweeps` are scenarios from `first` on, each of assets of the content, rising: what is typical,
// which is read where it lies first, and maps, of which each reads that, too. What else they read
// lies in a pack of theirs. It moves there from the cold pack; of what was recorded they get
// copies, if the budget allows all of them.
void lay_unrecorded(const DraftInput& input, const std::vector<std::vector<uint32_t>>& sweeps,
                    uint32_t first, Draft& draft);

}  // namespace seekless
