#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/answer/report.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/report_page.h"
#include "tests/answer/sample_report.h"
#include "tests/extreme_figures.h"
#include "tests/page/has_pattern.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr size_t kMostPageBytes = 1'500'000;

TEST(ResultSentence, says_what_was_won) {
  EXPECT_EQ(result_sentence(sample_report()),
            "Two loads of 160 MB in all take 3.0 s of disk time instead of 14.0 s on wd-black-1tb: "
            "4.7 times less; seeks 2,310 \xe2\x86\x92 42.");
}

TEST(ResultSentence, says_what_was_lost) {
  Report report = sample_report();
  report.scenarios.resize(1);
  report.scenarios[0].after.seconds = 3;
  EXPECT_THAT(result_sentence(report),
              HasSubstr("One load of 20.0 MB takes 3.0 s of disk time instead of 2.0 s on "
                        "wd-black-1tb: 1.5 times more"));
}

TEST(ResultSentence, claims_nothing_for_a_small_change_or_for_no_time) {
  Report report = sample_report();
  report.scenarios.resize(1);
  report.scenarios[0].after.seconds = 1.97;
  EXPECT_THAT(result_sentence(report), HasSubstr("about the same"));
  report.scenarios[0].before.seconds = report.scenarios[0].after.seconds = 0;
  EXPECT_THAT(result_sentence(report), HasSubstr("takes 0 s of disk time instead of 0 s on"));
  EXPECT_THAT(result_sentence(report), Not(HasSubstr("times")));
}

TEST(ReportPage, has_every_figure_of_the_table) {
  const std::string page = to_html(sample_report());
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">map/lakeville</th><td class=\"first\">140.0</td>"
                              "<td class=\"first\">150.0</td><td>12,345</td><td>2,000</td>"
                              "<td>12.00</td><td class=\"first\">141.0</td><td>70</td><td>40</td>"
                              "<td>2.50</td><td class=\"first\">4.8</td><td>1.25</td>"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"row\">common.skl</th><td class=\"text\">common</td>"
                              "<td>400</td><td>50.0</td><td>2.00</td>"));
}

TEST(ReportPage, draws_bars_to_scale_with_words_for_them) {
  const std::string page = to_html(sample_report());
  EXPECT_THAT(page,
              HasSubstr("aria-label=\"before: 12.0 s, bound: 2.0 s\"><rect width=\"100.00%\""));
  EXPECT_THAT(page, HasSubstr("aria-label=\"after: 2.5 s, bound: 2.0 s\"><rect width=\"20.83%\""));
  EXPECT_THAT(page, HasSubstr("x1=\"16.67%\""));
}

TEST(ReportPage, is_whole_in_itself) {
  Report report = sample_report();
  report.scenarios[0].before_moves = zig_zag(100);
  const std::string page = to_html(report);
  EXPECT_THAT(page, Not(HasPattern("src=|href=|url\\(|@import|<script|http:|https:")));
}

TEST(ReportPage, escapes_all_text_from_outside) {
  const std::string evil = "<script>alert(1)</script>\"'&\x1b\xff";
  Report report = sample_report();
  report.drive = evil;
  report.assumptions = report.warnings = {evil};
  report.scenarios[0].name = evil;
  report.scenarios[0].before_moves = zig_zag(100);
  report.packs[0].name = report.packs[0].kind = evil;
  const std::string page = to_html(report);
  EXPECT_EQ(occurrences(page, "<script"), 0U);
  EXPECT_EQ(occurrences(page, "\x1b"), 0U);
  EXPECT_EQ(occurrences(page, "\xff"), 0U);
  const std::string safe = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\x1b\xef\xbf\xbd";
  // The drive is in the title, the heading and a sentence; the scenario is in bars, the picture,
  // two titles and the table.
  EXPECT_EQ(occurrences(page, safe), 3U + 2U + 5U + 2U);
}

TEST(ReportPage, shows_the_way_of_the_head_before_and_after) {
  Report report = sample_report();
  report.scenarios[1].before_moves = zig_zag(1'000);
  report.scenarios[1].after_moves = {{0, 612'000'000'000, 2 << 20},
                                     {0.02, 612'002'097'152, 2 << 20}};
  const std::string page = to_html(report);
  EXPECT_EQ(occurrences(page, "<svg class=\"head "), 2U) << "only scenarios with moves";
  EXPECT_THAT(page, HasSubstr("<title id=\"head-1-before-t\">map/lakeville, before</title>"));
  EXPECT_THAT(page, HasSubstr("12,345 reads, 2,000 seeks, 12.0 s; a typical read is of 16 KiB"));
  EXPECT_THAT(page, HasSubstr("70 reads, 40 seeks, 2.5 s; a typical read is of 2 MiB"));
  EXPECT_EQ(occurrences(page, "class=\"read small\""), 1U);
  EXPECT_EQ(occurrences(page, "class=\"read large\""), 1U);
  EXPECT_EQ(occurrences(page, "class=\"band\""), 6U) << "three places in both pictures";
}

TEST(ReportPage, stays_small_with_300000_moves_a_scenario) {
  Report report = sample_report();
  report.scenarios[0].before_moves = zig_zag(300'000);
  report.scenarios[0].before.seconds = 30;
  report.scenarios.assign(4, report.scenarios[0]);
  const std::clock_t start = std::clock();
  const std::string page = to_html(report);
  // Counts the time of this process, whatever else the machine does. Measured: 0.4 s with -O1;
  // sanitizers without optimisation take longer.
#ifdef _WIN32
  constexpr int kMostSeconds = 180;  // its clock is the wall clock
#else
  constexpr int kMostSeconds = 15;
#endif
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds);
  EXPECT_LT(page.size(), kMostPageBytes);
  EXPECT_EQ(occurrences(page, "<svg class=\"head "), 8U);
}

TEST(ReportPage, draws_the_longest_of_many_scenarios_and_lists_all) {
  Report report = sample_report();
  report.scenarios.resize(1);
  report.scenarios[0].before_moves = zig_zag(20'000);
  report.scenarios.resize(500, report.scenarios[0]);
  report.scenarios[321].name = "slow";
  report.scenarios[321].before.seconds = 99;
  const std::string page = to_html(report);
  EXPECT_LT(page.size(), kMostPageBytes);
  EXPECT_THAT(page, HasSubstr("Shown are the 20 of 500 that took longest before."));
  EXPECT_THAT(page, HasSubstr("<figcaption>slow</figcaption>"));
  EXPECT_EQ(occurrences(page, "<th scope=\"row\">boot</th>"), 499U);
}

TEST(ReportPage, of_nothing_says_so) {
  const std::string page = to_html({.drive = "x"});
  EXPECT_THAT(page, HasSubstr("No load was measured on x."));
  EXPECT_THAT(page, HasSubstr("There are no packs."));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

TEST(ReportPage, divides_by_no_zero) {
  Report report = sample_report();
  report.capacity_bytes = 0;
  for (ScenarioReport& scenario : report.scenarios) {
    scenario.before = scenario.after = {};
    scenario.bound_seconds = 0;
    scenario.before_moves = {{0, 5, 0}};
  }
  const std::string page = to_html(report);
  EXPECT_THAT(page, Not(HasPattern("[ \">-](nan|inf)[ \"<%]")));
  EXPECT_THAT(page, HasSubstr("(solid state)"));
  EXPECT_THAT(page, HasSubstr("What is read when"));
}

TEST(ReportPage, draws_any_move_within_its_picture) {
  Report report = sample_report();
  report.scenarios[0].before_moves = {
      {-1, kMost, kMost}, {kInfinity, 0, 0}, {1e300, 7, 1}, {0, 1, kMost}};
  const std::string page = to_html(report);
  EXPECT_THAT(page, Not(HasPattern("[ \"Mlhv]-?[0-9]{6}")));
}

TEST(ReportPage, is_the_same_for_the_same_report) {
  Report report = sample_report();
  report.scenarios[0].before_moves = zig_zag(50'000);
  EXPECT_EQ(to_html(report), to_html(report));
}

}  // namespace
}  // namespace seekless
