// Makes the map that shows which scenario reads which bytes; the picture is drawn from it. The
// packs lie side by side, cut into steps of equal size. Each scenario has a row with its use of
// each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "packer/answer/pack_uses.h"

namespace seekless {

// Puts the packs side by side: common, sub-packs, cold, others. Packs of one kind keep the report's
// order.
struct PacksInRow {
  std::vector<size_t> order;          // indices of the packs
  std::vector<uint64_t> start_bytes;  // indexed by pack
  uint64_t total_bytes = 0;
};

PacksInRow in_row(const std::vector<PackReport>& packs);

enum class StepUse : uint8_t { nothing, passed, needed, copied };

// Describes neighbouring steps of the same use, from `first` to before `end`, in columns of the
// picture.
struct StepRun {
  int first = 0;
  int end = 0;
  StepUse use = StepUse::nothing;
  bool operator==(const StepRun&) const = default;
};

struct PackMap {
  // One row for each scenario, without the steps that it doesn't read.
  std::vector<std::vector<StepRun>> rows;
  int step_columns = 1;
};

// Makes the map. A step shows how most of the bytes read in it are used. Steps are one column wide,
// or wider if there would otherwise be more than `most_runs` runs; the widest step is a whole row.
PackMap make_pack_map(std::span<const ScenarioReads> scenarios,
                      const std::vector<PackReport>& packs, int columns, size_t most_runs);

}  // namespace seekless
