// A build's tables and sentences as plain text cells, which the page and the Markdown summary
// share. Text from outside is in them as it came: whoever prints them makes it fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "packer/answer/build_report.h"

namespace seekless {

struct TextColumn {
  std::string_view title;
  bool is_name = false;  // text from outside; the others are numbers or words of ours
};

struct ReportTable {
  std::string_view title;
  std::vector<TextColumn> columns;
  std::vector<std::vector<std::string>> rows;
  size_t left_out = 0;  // rows that matter less than those shown
};

// Each of at most `most` rows; without rows there is nothing to tell. Loads: those that took
// longest, in the report's order.
ReportTable loads_table(const BuildReport& report, size_t most);
// Packs: those that were written, then the largest.
ReportTable packs_table(const BuildReport& report, size_t most);
// Assets by the room they take in the packs, copies counted.
ReportTable largest_table(const BuildReport& report, size_t most);
// Assets by what their copies take.
ReportTable copies_table(const BuildReport& report, size_t most);

// "7 loads take 2.5 s of disk time instead of 17.9 s on wd-black-1tb: 7.1 times less."
std::string loads_sentence(const BuildReport& report);
// "1 of 9 packs was written; they hold 533 MB, 2.1 % of it padding."
std::string packs_sentence(const BuildReport& report);
// Says what a patch costs, and what a fresh plan would gain; empty if neither is known.
std::string patch_sentence(const BuildReport& report);

size_t written_packs(const BuildReport& report);
// Names the two sides of a load.
inline constexpr std::string_view kBeforeName = "before, as recorded";
std::string_view after_name(LoadBasis basis);

}  // namespace seekless
