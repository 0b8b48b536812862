// The map of who reads what: the packs lie side by side, cut into steps of equal size, and each
// scenario has a row that tells what it does with each step. The picture is drawn from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/answer/pack_uses.h"

namespace seekless {

// The packs side by side: common, sub-packs, cold, others; in the report's order otherwise.
struct PacksInRow {
  std::vector<size_t> order;          // indices of the packs
  std::vector<uint64_t> start_bytes;  // by index
  uint64_t total_bytes = 0;
};

PacksInRow in_row(const std::vector<PackReport>& packs);

enum class StepUse : uint8_t { nothing, passed, needed, copied };

// Steps of one use, from `first` to before `end`, in columns of the picture.
struct StepRun {
  int first = 0;
  int end = 0;
  StepUse use = StepUse::nothing;
  bool operator==(const StepRun&) const = default;
};

struct PackMap {
  std::vector<std::vector<StepRun>> rows;  // of each scenario; without what it doesn't read
  int step_columns = 1;
};

// A step has the use of most of what is read in it. Steps are a column wide, or as many as it takes
// for at most `most_runs` runs, or for rows of one step.
PackMap make_pack_map(std::span<const ScenarioReads> scenarios,
                      const std::vector<PackReport>& packs, int columns, size_t most_runs);

}  // namespace seekless
