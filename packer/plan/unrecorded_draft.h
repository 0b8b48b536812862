// Maps that nobody recorded, in a draft that was made without them: what was recorded stays where
// it lies, so that no recorded load takes longer for them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/plan/draft.h"

namespace seekless {

inline constexpr const char* kUnrecordedPack = "unrecorded";

struct UnrecordedSweep {
  std::string scenario;
  std::string pack;              // what its own pack is called
  std::vector<uint32_t> assets;  // of the content, rising
};

// `sweeps` are scenarios from `first` on: what is typical, which is read where it lies first, and
// maps, of which each reads that, too. What else they read lies in packs of theirs: one called
// "unrecorded" for what several of them read, and one for each map. It moves there from the cold
// pack; of what was recorded they get copies, if the budget allows all of them.
void lay_unrecorded(const DraftInput& input, const std::vector<UnrecordedSweep>& sweeps,
                    uint32_t first, Draft& draft);

}  // namespace seekless
