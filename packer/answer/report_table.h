// The two tables of a report as text cells, for the terminal and the page alike. Cells of numbers
// take at most six characters; names are clean, and of any length.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Columns after the name.
enum LoadColumn : size_t {
  kNeededMegabytes,
  kBeforeMegabytes,
  kBeforeReads,
  kBeforeSeeks,
  kBeforeSeconds,
  kAfterMegabytes,
  kAfterReads,
  kAfterSeeks,
  kAfterSeconds,
  kTimesFaster,  // before / after, in seconds
  kOverBound,    // after / bound
  kLoadColumns,
};

struct LoadRow {
  std::string name;
  std::array<std::string, kLoadColumns> cells;
};

// One row a scenario, and a last one for the total.
std::vector<LoadRow> load_rows(const std::vector<ScenarioReport>& scenarios);

enum PackColumn : size_t { kPackAssets, kPackMegabytes, kPackPaddingPercent, kPackColumns };

struct PackRow {
  std::string name;
  std::string kind;
  std::array<std::string, kPackColumns> cells;
};

// One row a pack, and a last one for the total.
std::vector<PackRow> pack_rows(const std::vector<PackReport>& packs);

}  // namespace seekless
