#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/answer/report.h"
#include "packer/words/plain_text.h"
#include "tests/answer/sample_report.h"
#include "tests/extreme_figures.h"
#include "tests/page/has_pattern.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string line_with(const std::string& text, const std::string& start) {
  for (const std::string& line : lines_of(text))
    if (line.starts_with(start)) return line;
  return "no line starts with " + start;
}

size_t widest(const std::string& text) {
  size_t most = 0;
  for (const std::string& line : lines_of(text)) most = std::max(most, columns_of(line));
  return most;
}

TEST(ReportText, has_the_figures_of_each_scenario_in_its_row) {
  const std::string text = to_text(sample_report(), 80, true);
  EXPECT_THAT(line_with(text, "boot "),
              HasPattern("^boot +20.0 +25.0 +1,500 +310 +2.00 +20.5 +10 +2 +0.50 +4.0 +1.25$"));
  EXPECT_THAT(line_with(text, "map/lake"),
              HasPattern("140.0 +150.0 +12,345 +2,000 +12.00 +141.0 +70 +40 +2.50 +4.8 +1.25$"));
}

TEST(ReportText, totals_sums_and_takes_the_ratio_of_sums) {
  EXPECT_THAT(line_with(to_text(sample_report(), 80, true), "total"),
              HasPattern("160.0 +175.0 +13,845 +2,310 +14.00 +161.5 +80 +42 +3.00 +4.7 +1.25$"));
}

TEST(ReportText, has_packs_with_their_padding) {
  const std::string text = to_text(sample_report(), 80, true);
  EXPECT_THAT(text, HasPattern("common.skl +common +400 +50.0 +2.00\n"));
  EXPECT_THAT(text, HasPattern("boot.skl +sub +120 +150.0 +0.67\n"));
  EXPECT_THAT(text, HasSubstr("\n- Padding: 2.00 MB of 200 MB in 2 packs (1.00 %).\n"));
}

TEST(ReportText, says_what_is_assumed_and_what_is_doubtful) {
  const std::string text = to_text(sample_report(), 80, true);
  EXPECT_THAT(text, HasSubstr("\n- Assumed: The packs lie in one piece.\n"));
  EXPECT_THAT(text, HasSubstr("\n- Warning: The runs of boot differ: record it again."));
}

TEST(ReportText, gives_the_plans_reasons_and_its_copies) {
  Report report = sample_report();
  EXPECT_THAT(to_text(report, 80, true), Not(HasSubstr("Planned for")));
  add_plan(report);
  report.plan->reasons = std::string(40, 'r') + " " + std::string(300, 'x') + "\x1b\n";
  const std::string text = to_text(report, 80, true);
  EXPECT_THAT(text, HasSubstr("\n- Planned for wd-black-1tb: rrrr"));
  EXPECT_THAT(text,
              HasSubstr("\n- Copies of 40.0 MB, which make the packs 1.25 times the content."));
  EXPECT_LE(widest(text), 80U);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  report.plan->chosen = {1, 0, 3};
  EXPECT_THAT(to_text(report, 80, true),
              HasSubstr("\n- No copies. All scenarios swept once: 3.000 s predicted.\n"));
}

TEST(ReportText, is_a_table_and_at_most_five_notes_unless_asked) {
  Report report = sample_report();
  add_plan(report);
  const std::string text = to_text(report, 80, false);
  EXPECT_EQ(occurrences(text, "\n- "), 5U);
  EXPECT_THAT(text, HasSubstr("\n- copies of 40.0 MB: all sweeps take "));
  EXPECT_TRUE(text.ends_with("\n- --verbose says more"));
  EXPECT_THAT(text, Not(HasSubstr("boot.skl")));
}

TEST(ReportText, keeps_to_80_columns_whatever_the_names_and_numbers) {
  Report report = sample_report();
  report.drive = std::string(300, 'd');
  report.warnings.push_back(std::string(500, 'w') + " \xe5\xb7\xa5 " + std::string(100, 'x'));
  for (const std::string& name :
       {std::string(500, 'n'),
        std::string("\xe5\xb7\xa5\xe5\x9c\xba/\xe5\xb7\xa5\xe5\x9c\xba-\xe5\xb7\xa5\xe5\x9c\xba"),
        std::string("a\nb\x1b[1m\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")}) {
    report.scenarios.push_back({.name = name,
                                .needed_bytes = kMost,
                                .before = {kMost, kMost, kMost, 1e300},
                                .after = {kMost, kMost, kMost, 1e-300},
                                .bound_seconds = 1e-5});
    report.packs.push_back({name, name, kMost, kMost, kMost, kMost});
  }
  const std::string text = to_text(report, 80, true);
  EXPECT_LE(widest(text), 80U);
  EXPECT_THAT(text, HasSubstr("\xe2\x80\xa6"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(to_text(report, 0, true), text) << "80 is the least";
}

TEST(ReportText, aligns_rows_with_wide_and_combined_characters) {
  Report report = sample_report();
  report.scenarios[0].name = "\xe5\xb7\xa5\xe5\x9c\xba";
  report.scenarios[1].name = "u\xcc\x88";
  const std::string text = to_text(report, 80, true);
  const size_t columns = columns_of(line_with(text, "total"));
  EXPECT_EQ(columns_of(line_with(text, "\xe5\xb7\xa5")), columns);
  EXPECT_EQ(columns_of(line_with(text, "u\xcc\x88")), columns);
}

TEST(ReportText, shows_long_names_whole_on_a_wide_terminal) {
  Report report = sample_report();
  report.scenarios[0].name = "map/himmelsdorf-winter-night";
  EXPECT_THAT(to_text(report, 80, true), Not(HasSubstr("map/himmelsdorf-winter-night")));
  EXPECT_THAT(to_text(report, 120, true), HasSubstr("map/himmelsdorf-winter-night"));
  EXPECT_LE(widest(to_text(report, 10'000, true)), 120U);
}

TEST(ReportText, of_nothing_says_so) {
  const std::string text = to_text(Report(), 80, true);
  EXPECT_THAT(text, HasSubstr("No scenario was measured.\n"));
  EXPECT_THAT(text, HasSubstr("No packs.\n"));
}

TEST(ReportText, has_no_ratio_where_nothing_took_time) {
  Report report = sample_report();
  report.scenarios.resize(1);
  report.scenarios[0].before.seconds = report.scenarios[0].after.seconds = 0;
  report.scenarios[0].bound_seconds = 0;
  const std::string text = to_text(report, 80, true);
  EXPECT_THAT(line_with(text, "boot "), HasPattern(" - +-$"));
  EXPECT_THAT(text, Not(HasPattern("nan|inf")));
}

TEST(ReportText, of_a_drive_without_capacity_calls_it_solid_state) {
  Report report = sample_report();
  report.capacity_bytes = 0;
  EXPECT_THAT(to_text(report, 80, true), HasSubstr("\n- Drive: wd-black-1tb (solid state)\n"));
}

TEST(ReportText, has_no_space_at_the_end_of_a_line) {
  for (const std::string& line : lines_of(to_text(sample_report(), 80, true)))
    EXPECT_FALSE(line.ends_with(' ')) << line;
}

}  // namespace
}  // namespace seekless
