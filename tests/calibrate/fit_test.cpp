#include "packer/calibrate/internal/fit.h"

#include <random>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(Fit, median_is_the_middle_value) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
}

TEST(Fit, robust_line_bears_a_quarter_of_wild_points) {
  std::vector<Point> points;
  for (int i = 0; i < 40; ++i)
    points.push_back({.x = i * 1.0, .y = i % 4 == 0 ? 1e6 * i : 7 - 0.5 * i});
  const FittedLine line = robust_line(points);
  EXPECT_NEAR(line.at_zero, 7, 0.5);
  EXPECT_NEAR(line.slope, -0.5, 0.02);
}

TEST(Fit, rising_line_weighs_points_and_never_falls) {
  const std::vector<Point> rising = {{0, 1, 1}, {1, 3, 1}, {2, 100, 0}};
  EXPECT_DOUBLE_EQ(rising_line(rising).at_zero, 1);
  EXPECT_DOUBLE_EQ(rising_line(rising).slope, 2);
  const std::vector<Point> falling = {{0, 3, 1}, {1, 1, 1}};
  EXPECT_DOUBLE_EQ(rising_line(falling).at_zero, 2);
  EXPECT_DOUBLE_EQ(rising_line(falling).slope, 0);
}

TEST(Fit, period_is_found_under_an_offset_and_wild_intervals) {
  std::mt19937 random(1);
  std::vector<double> intervals;
  for (int i = 0; i < 80; ++i)
    intervals.push_back(i % 5 == 0 ? 0.37 * (random() % 100)
                                   : 0.25 + 8.333 * (1 + random() % 4) + 1e-4 * (random() % 500));
  const Period found = find_period(intervals, 3, 20);
  EXPECT_NEAR(found.ms, 8.333, 0.03);
  EXPECT_GT(found.share, 0.6);
}

TEST(Fit, no_period_in_even_noise) {
  std::mt19937 random(1);
  std::vector<double> intervals;
  for (int i = 0; i < 80; ++i) intervals.push_back(1e-3 * (random() % 60000));
  EXPECT_LT(find_period(intervals, 3, 20).share, 0.45);
  EXPECT_EQ(find_period({}, 3, 20).share, 0);
}

TEST(Fit, lower_end_of_a_turn_bears_late_samples) {
  std::mt19937 random(1);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i)
    values.push_back(i % 10 == 0 ? 500 : 5 + 8.0 * (random() % 10000) / 1e4);
  EXPECT_NEAR(lower_end(values, 8), 5, 0.15);
  EXPECT_EQ(lower_end({}, 8), 0);
}

}  // namespace
}  // namespace seekless
