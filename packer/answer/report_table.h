// Makes the two tables of a report as text cells, for both the terminal and the page. Cells of
// numbers have at most six characters; names are safe to print, and of any length.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "packer/answer/report.h"

namespace seekless {

// Lists the columns that follow the name.
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

// Returns one row for each scenario, and a last one for the total.
std::vector<LoadRow> load_rows(const std::vector<ScenarioReport>& scenarios);

enum PackColumn : size_t { kPackAssets, kPackMegabytes, kPackPaddingPercent, kPackColumns };

struct PackRow {
  std::string name;
  std::string kind;
  std::array<std::string, kPackColumns> cells;
};

// Returns one row for each pack, and a last one for the total.
std::vector<PackRow> pack_rows(const std::vector<PackReport>& packs);

}  // namespace seekless
