#include "packer/page/internal/price_chart.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/answer/sample_report.h"
#include "tests/extreme_figures.h"
#include "tests/page/has_pattern.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

PlanReport sample_plan() {
  Report report = sample_report();
  add_plan(report);
  return *report.plan;
}

TEST(PriceChart, draws_the_curve_and_marks_the_layout) {
  const PriceChart chart = price_chart(sample_plan());
  EXPECT_THAT(chart.svg, HasPattern("<path class=\"line\" d=\"M0\\.0 [0-9.]+L102\\.5 [0-9.]+"
                                    "L410\\.0 [0-9.]+\"/>"));
  EXPECT_THAT(chart.svg, HasPattern("<circle class=\"chosen\" cx=\"102\\.5\""));
  EXPECT_THAT(chart.svg, HasSubstr(">this layout: 2.500 s</text>"));
  EXPECT_THAT(chart.svg, HasSubstr(">1.0\xc3\x97</text>"));
  EXPECT_THAT(chart.svg, HasSubstr("from 1.00 times the content with 3.000 s to 2.00 times with "
                                   "2.250 s"));
}

TEST(PriceChart, begins_at_zero_unless_the_line_is_near_the_top) {
  PlanReport plan = sample_plan();
  const double foot = price_chart(plan).lowest_seconds;
  EXPECT_GT(foot, 0);
  EXPECT_LT(foot, 2.25);
  plan.curve.back().seconds = 0.5;
  EXPECT_EQ(price_chart(plan).lowest_seconds, 0);
}

TEST(PriceChart, needs_two_points_of_different_size) {
  PlanReport plan = sample_plan();
  plan.curve.resize(1);
  EXPECT_EQ(price_chart(plan).svg, "");
  plan.curve.clear();
  EXPECT_EQ(price_chart(plan).svg, "");
  plan.chosen = {1, 0, 3};
  plan.curve = {{1, 0, 3}, {1, 0, 3}};
  EXPECT_EQ(price_chart(plan).svg, "");
}

TEST(PriceChart, of_a_level_line_has_a_line) {
  PlanReport plan = sample_plan();
  plan.curve = {{1, 0, 0}, {2, 5, 0}};
  plan.chosen = {1, 0, 0};
  EXPECT_THAT(price_chart(plan).svg, HasSubstr("class=\"line\" d=\"M0.0 230.0L410.0 230.0\""));
}

TEST(PriceChart, draws_whatever_the_numbers) {
  PlanReport plan = sample_plan();
  for (const double number :
       {1e308, 1e-308, kInfinity, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    plan.curve.push_back({number, UINT64_MAX, 1});
    plan.curve.push_back({1, 0, number});
    plan.curve.push_back({number, 3, number});
    EXPECT_THAT(price_chart(plan).svg, Not(HasPattern("[ \"ML>-](nan|inf)[ \"<L]"))) << number;
    plan.chosen = {number, 4, number};
    EXPECT_THAT(price_chart(plan).svg, Not(HasPattern("[ \"ML>-](nan|inf)[ \"<L]"))) << number;
  }
}

TEST(PriceChart, stays_small_with_a_million_points) {
  PlanReport plan = sample_plan();
  plan.curve.clear();
  for (int i = 0; i < 1'000'000; ++i) plan.curve.push_back({1 + i * 1e-6, 5, 3 - i * 1e-6});
  EXPECT_LT(price_chart(plan).svg.size(), 20'000U);
}

TEST(ThinnedCurve, keeps_both_ends) {
  std::vector<CopyPrice> curve;
  for (int i = 0; i < 1000; ++i) curve.push_back({1.0 + i, 0, 1});
  const std::vector<CopyPrice> thinned = thinned_curve(curve, 12);
  ASSERT_EQ(thinned.size(), 12U);
  EXPECT_EQ(thinned.front().size_ratio, 1);
  EXPECT_EQ(thinned.back().size_ratio, 1000);
}

}  // namespace
}  // namespace seekless
