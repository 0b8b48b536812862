#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/page/internal/html_parts.h"
#include "packer/page/report_page.h"
#include "tests/answer/sample_report.h"
#include "tests/page/has_pattern.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

Report planned_report() {
  Report report = sample_report();
  add_plan(report);
  return report;
}

TEST(PlanSection, gives_the_reasons_and_the_price_of_copies) {
  const std::string html = plan_section(planned_report());
  EXPECT_THAT(html, HasSubstr("<p>Copies pay on a disk.</p>"));
  EXPECT_THAT(html, HasSubstr("Copies of 40.0 MB, which make the packs 1.25 times the content. All "
                              "scenarios swept once: 2.500 s predicted, without copies 3.000 s."));
  EXPECT_EQ(occurrences(html, "<svg class=\"price\""), 1U);
  EXPECT_THAT(html, HasSubstr("<tr><td>1.00</td><td>0.0</td><td>3.000</td><td>-</td>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"chosen\"><td>1.25</td><td>40.0</td><td>2.500</td>"
                              "<td>0.500</td><td class=\"text said\">this layout</td></tr>"));
}

TEST(PlanSection, has_the_layout_in_the_table_once) {
  Report report = planned_report();
  EXPECT_EQ(occurrences(plan_section(report), "class=\"chosen\"><td>"), 1U);
  report.plan->chosen = {1.5, 80'000'000, 2.4};
  const std::string between = plan_section(report);
  EXPECT_EQ(occurrences(between, "class=\"chosen\"><td>"), 1U);
  EXPECT_LT(between.find("<td>40.0</td>"), between.find("<td>80.0</td>"));
  EXPECT_LT(between.find("<td>80.0</td>"), between.find("<td>160.0</td>"));
}

TEST(PlanSection, puts_what_was_predicted_beside_what_was_simulated) {
  const std::string html = plan_section(planned_report());
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">boot</th><td class=\"first\">0.900</td>"
                              "<td>0.400</td><td>yes</td><td class=\"first\">2.000</td>"
                              "<td>0.500</td><td>+25 %</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">map/lakeville</th><td class=\"first\">-</td>"
                              "<td>-</td><td>-</td><td class=\"first\">12.000</td><td>2.500</td>"
                              "<td>-</td></tr>"));
}

TEST(PlanSection, says_if_it_was_planned_for_another_drive) {
  Report report = planned_report();
  EXPECT_THAT(plan_section(report), Not(HasSubstr("but simulated on")));
  report.plan->drive = "sata-ssd";
  EXPECT_THAT(plan_section(report), HasSubstr("Planned for sata-ssd, but simulated on wd-black"));
}

TEST(PlanSection, does_without_a_curve_or_predictions) {
  Report report = planned_report();
  report.plan->curve.clear();
  report.plan->chosen = {1, 0, 3};
  report.scenarios[0].planned.reset();
  const std::string html = plan_section(report);
  EXPECT_THAT(html, HasSubstr("No copies. All scenarios swept once: 3.000 s predicted."));
  EXPECT_THAT(html, Not(HasPattern("<svg|<table|<h3")));
}

TEST(PlanSection, is_empty_without_a_plan) {
  EXPECT_EQ(plan_section(sample_report()), "");
}

TEST(PlanSection, escapes_all_text_from_outside) {
  const std::string evil = "<i>\"'&\x1b\xff";
  Report report = planned_report();
  report.plan->drive = report.plan->reasons = report.scenarios[0].name = evil;
  const std::string html = plan_section(report);
  EXPECT_EQ(occurrences(html, "<i>"), 0U);
  EXPECT_EQ(occurrences(html, "\x1b"), 0U);
  EXPECT_EQ(occurrences(html, "\xff"), 0U);
  EXPECT_EQ(occurrences(html, "&lt;i&gt;&quot;&#39;&amp;\\x1b\xef\xbf\xbd"), 3U);
}

TEST(PlanSection, divides_by_no_zero) {
  Report report = planned_report();
  report.scenarios[0].planned = {.sweep_s = 0, .demand_s = 0, .is_held_out = false};
  EXPECT_THAT(plan_section(report), HasSubstr("<td>0.500</td><td>-</td></tr>"));
  report.scenarios[0].planned->sweep_s = 1e-300;
  report.plan->chosen.seconds = std::numeric_limits<double>::infinity();
  EXPECT_THAT(plan_section(report), Not(HasPattern("[ \">-](nan|inf)[ \"<%]")));
}

TEST(ReportPage, has_the_plan_and_the_map_if_they_are_known) {
  Report report = planned_report();
  add_reads(report);
  const std::string page = to_html(report);
  EXPECT_THAT(page, HasSubstr("<h2>Which scenario reads what, where</h2>"));
  EXPECT_THAT(page, HasSubstr("<h2>Why the packs are as they are</h2>"));
  EXPECT_THAT(page, Not(HasPattern("src=|href=|url\\(|@import|<script|http:|https:")));
  EXPECT_EQ(page, to_html(report));
}

}  // namespace
}  // namespace seekless
