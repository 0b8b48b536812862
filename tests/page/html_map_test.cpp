#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/page/internal/html_parts.h"
#include "tests/answer/sample_report.h"
#include "tests/extreme_figures.h"
#include "tests/page/has_pattern.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

Report mapped_report() {
  Report report = sample_report();
  add_reads(report);
  return report;
}

// Makes scenarios with a sub-pack each, beside the common pack. Each needs every tenth part of the
// common pack.
Report report_of(size_t scenarios) {
  Report report;
  report.packs = {{"common.skl", "common", 400, 1'000'000'000, 1'000'000'000, 0}};
  for (uint32_t i = 1; i <= scenarios; ++i) {
    const std::string name = "map/" + std::to_string(i);
    report.packs.push_back(
        {"map-" + std::to_string(i) + ".skl", "sub", 5, 5'000'000, 5'000'000, 0});
    ScenarioReads reads = {
        .name = name, .read = {{i, 0, 5'000'000}}, .needed = {{i, 0, 5'000'000}}, .copied = {}};
    for (uint64_t at = i * 1'000'000; at + 2'000'000 <= 1'000'000'000; at += 10'000'000)
      reads.needed.push_back({0, at, at + 2'000'000});
    report.reads.push_back(reads);
  }
  return report;
}

// Counts rectangles in paths and as elements.
size_t rectangles(const std::string& html) {
  return occurrences(html, "<rect") + occurrences(html, "z\"/>") + occurrences(html, "zM");
}

TEST(MapSection, has_a_row_for_each_scenario_with_words_for_it) {
  const std::string html = map_section(mapped_report());
  EXPECT_EQ(occurrences(html, "<g><title>"), 2U);
  EXPECT_THAT(html, HasSubstr("<title>boot needs 160 MB of 170 MB that it reads: 150 MB of "
                              "boot.skl, 20.0 MB of common.skl; 60.0 MB are copies</title>"));
  EXPECT_THAT(html, HasSubstr("<title>map/lakeville needs 20.0 MB of 20.0 MB that it reads: "
                              "20.0 MB of common.skl</title>"));
  EXPECT_THAT(html, HasSubstr(">map/lakeville</span>"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"What 2 scenarios read of 200 MB in 2 packs\""));
}

TEST(MapSection, draws_what_is_needed_copied_and_passed_where_it_lies) {
  const std::string html = map_section(mapped_report());
  // 200 MB take 1000 columns: the common pack takes 250 of them, and boot's own pack the rest.
  EXPECT_THAT(html, HasSubstr("<path class=\"passed\" d=\"M50 2h50v22h-50z\"/>"));
  EXPECT_THAT(html, HasSubstr("<path class=\"needed\" d=\"M0 2h50v22h-50zM250 2h450v22h-450z\"/>"));
  EXPECT_THAT(html, HasSubstr("<path class=\"copied\" d=\"M700 2h300v22h-300z\"/>"));
  EXPECT_THAT(html, HasSubstr("<path class=\"needed\" d=\"M0 28h100v22h-100z\"/>"));
  EXPECT_THAT(html, HasSubstr("<path class=\"edge kind\" d=\"M250 0v52\"/>"));
}

TEST(MapSection, names_packs_where_there_is_room) {
  const std::string html = map_section(mapped_report());
  EXPECT_THAT(html, HasSubstr("<span style=\"left:25.00%;width:75.00%\" "
                              "title=\"sub-pack, 150 MB\">sub-pack<small> 150 MB</small></span>"));
  EXPECT_THAT(html, HasSubstr("title=\"boot.skl, 150 MB\">boot<small> 150 MB</small>"));
  Report report = mapped_report();
  report.packs[0].file_bytes = 1'000'000;
  report.reads[1].needed = {{0, 0, 1'000'000}};
  EXPECT_THAT(map_section(report), Not(HasSubstr(">common<small>")));
  EXPECT_THAT(map_section(report), HasSubstr(">boot<small>"));
}

TEST(MapSection, tells_of_copies_only_if_there_are_some) {
  Report report = mapped_report();
  EXPECT_THAT(map_section(report), HasSubstr("other packs hold it, too"));
  report.reads[0].copied.clear();
  EXPECT_THAT(map_section(report), Not(HasSubstr("copied")));
}

TEST(MapSection, of_one_scenario_is_one_row) {
  Report report = mapped_report();
  report.reads.resize(1);
  const std::string html = map_section(report);
  EXPECT_EQ(occurrences(html, "<g><title>"), 1U);
  EXPECT_THAT(html, HasSubstr("What 1 scenario read"));
}

TEST(MapSection, of_a_hundred_scenarios_has_thin_rows_and_few_rectangles) {
  const std::string html = map_section(report_of(100));
  EXPECT_EQ(occurrences(html, "<g><title>"), 100U);
  EXPECT_LE(rectangles(html), 2000U);
  EXPECT_GT(rectangles(html), 250U);
  EXPECT_LT(html.size(), 100'000U);
  EXPECT_THAT(html, HasSubstr("viewBox=\"0 0 1000 500\""));
  EXPECT_EQ(occurrences(html, ">map/1</span>"), 1U);
  EXPECT_EQ(occurrences(html, ">map/2</span>"), 0U) << "its name has no room";
  EXPECT_EQ(occurrences(html, ">map/4</span>"), 1U);
  EXPECT_THAT(html, HasSubstr(">sub-packs<small> 500 MB</small>"));
  EXPECT_THAT(html, HasSubstr("Narrow packs may have no line"));
  EXPECT_THAT(map_section(mapped_report()), Not(HasSubstr("Narrow packs")));
}

TEST(MapSection, of_too_many_scenarios_shows_the_first_and_says_so) {
  const std::string html = map_section(report_of(1000));
  EXPECT_EQ(occurrences(html, "<g><title>"), 200U);
  EXPECT_LE(rectangles(html), 2000U);
  EXPECT_THAT(html, HasSubstr("Shown are the first 200 of 1,000 scenarios."));
}

TEST(MapSection, of_nothing_is_empty) {
  EXPECT_EQ(map_section(sample_report()), "") << "no scenario";
  Report report = mapped_report();
  for (PackReport& pack : report.packs) pack.file_bytes = 0;
  EXPECT_EQ(map_section(report), "") << "packs without a byte";
  report.packs.clear();
  EXPECT_EQ(map_section(report), "");
}

TEST(MapSection, of_a_scenario_that_reads_nothing_says_so) {
  Report report = mapped_report();
  report.reads.push_back({.name = "empty"});
  EXPECT_THAT(map_section(report), HasSubstr("<title>empty reads nothing</title>"));
}

TEST(MapSection, escapes_names_and_cuts_long_ones) {
  Report report = mapped_report();
  report.reads[0].name = report.packs[1].name = report.packs[1].kind = "<b>\"'&\x1b\xff";
  report.reads[1].name = std::string(5000, 'x');
  const std::string html = map_section(report);
  EXPECT_EQ(occurrences(html, "<b>"), 0U);
  EXPECT_EQ(occurrences(html, "\x1b"), 0U);
  EXPECT_EQ(occurrences(html, "\xff"), 0U);
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;&quot;&#39;&amp;\\x1b\xef\xbf\xbd"));
  EXPECT_LT(html.size(), 8'000U);
}

TEST(MapSection, draws_whatever_the_numbers) {
  Report report = mapped_report();
  report.packs[0].file_bytes = report.packs[1].file_bytes = kMost;
  report.reads[0].read = {{0, 0, kMost}, {1, 5, kMost}, {9, 0, 1}};
  const std::string html = map_section(report);
  EXPECT_THAT(html, Not(HasPattern("[ \"Mhv-](nan|inf)")));
  EXPECT_THAT(html, Not(HasPattern("[\"Mhv]-?[0-9]{5}")));
}

}  // namespace
}  // namespace seekless
