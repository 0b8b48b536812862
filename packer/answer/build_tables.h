// Makes the tables and sentences about a build as plain text cells, which the page and the Markdown
// summary share. Text from outside isn't escaped here, but by the code that prints the cells.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "packer/answer/build_report.h"

namespace seekless {

struct TextColumn {
  std::string_view title;
  bool is_name = false;  // text from outside; other cells are numbers or our own words
};

struct ReportTable {
  std::string_view title;
  std::vector<TextColumn> columns;
  std::vector<std::vector<std::string>> rows;
  size_t left_out = 0;  // number of less important rows that aren't shown
};

// The functions below return a table with at most `most` rows, which is empty if there is nothing
// to show. This one lists the loads that took longest, in the report's order.
ReportTable loads_table(const BuildReport& report, size_t most);
// Lists the packs that were written, then the largest packs.
ReportTable packs_table(const BuildReport& report, size_t most);
// Lists the assets that take most space in the packs, copies included.
ReportTable largest_table(const BuildReport& report, size_t most);
// Lists the assets whose copies take most space.
ReportTable copies_table(const BuildReport& report, size_t most);

// Returns a sentence such as "7 loads take 2.5 s of disk time instead of 17.9 s on wd-black-1tb:
// 7.1 times less."
std::string loads_sentence(const BuildReport& report);
// Returns a sentence such as "1 of 9 packs was written; they hold 533 MB, 2.1 % of it padding."
std::string packs_sentence(const BuildReport& report);
// Says what a patch costs, and what a fresh plan would gain; returns an empty text if neither is
// known.
std::string patch_sentence(const BuildReport& report);

size_t written_packs(const BuildReport& report);
// Names the two sides of a load.
inline constexpr std::string_view kBeforeName = "before, as recorded";
std::string_view after_name(LoadBasis basis);

}  // namespace seekless
