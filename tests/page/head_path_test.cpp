#include "packer/page/internal/head_path.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

// Makes a path that goes up and down over the whole height, along the whole width.
std::vector<DrawnRead> wall(int count, int width, int height) {
  std::vector<DrawnRead> reads;
  for (int i = 0; i < count; ++i) {
    const int x = static_cast<int>(int64_t{i} * width / count);
    const int y = i % 2 == 0 ? i * 31 % height : height - i * 17 % height;
    reads.push_back({{x, y}, {x, y}});
  }
  return reads;
}

TEST(TravelPath, of_nothing_is_empty) {
  EXPECT_EQ(travel_path({}, 100, 1000).d, "");
}

TEST(TravelPath, is_exact_while_it_fits) {
  const std::vector<DrawnRead> reads = {{{0, 10}, {5, 8}}, {{9, 90}, {9, 90}}};
  const ThinnedPath path = travel_path(reads, 100, 1000);
  EXPECT_EQ(path.d, "M0 10l5 -2l4 82");
  EXPECT_EQ(path.cell, 1);
}

TEST(TravelPath, keeps_the_extremes_of_a_column) {
  const std::vector<DrawnRead> reads = {{{3, 50}, {3, 50}},
                                        {{3, 10}, {3, 10}},
                                        {{3, 40}, {3, 40}},
                                        {{3, 90}, {3, 90}},
                                        {{3, 60}, {3, 60}}};
  EXPECT_EQ(travel_path(reads, 100, 1000).d, "M3 50v-40v80v-30");
}

TEST(TravelPath, stays_within_its_budget) {
  const ThinnedPath path = travel_path(wall(300'000, 860, 520), 860, 5'000);
  EXPECT_LE(path.d.size(), 5'000U);
  EXPECT_GT(path.d.size(), 1'000U);
  EXPECT_GT(path.cell, 1);
}

TEST(TravelPath, ends_in_one_column_if_nothing_fits) {
  const ThinnedPath path = travel_path(wall(1'000, 860, 520), 860, 0);
  EXPECT_EQ(std::ranges::count(path.d, 'M'), 1);
  EXPECT_LT(path.d.size(), 60U);
}

TEST(ReadsPath, joins_reads_that_follow_each_other) {
  const std::vector<DrawnRead> reads = {{{0, 9}, {2, 6}}, {{2, 6}, {4, 3}}, {{8, 8}, {8, 8}}};
  EXPECT_EQ(reads_path(reads, 100, 100, 1000).d, "M0 9l2 -3l2 -3M8 8v0");
}

TEST(ReadsPath, draws_equal_dots_once_on_a_grid) {
  std::vector<DrawnRead> reads;
  for (int i = 0; i < 1'000; ++i) reads.push_back({{20 + i % 2 * 40, 30}, {20 + i % 2 * 40, 30}});
  const ThinnedPath path = reads_path(reads, 100, 100, 100);
  EXPECT_EQ(path.d, "M21 31v0M61 31v0");
  EXPECT_EQ(path.cell, 2);
}

TEST(ReadsPath, stays_within_its_budget) {
  const ThinnedPath path = reads_path(wall(300'000, 860, 520), 860, 520, 20'000);
  EXPECT_LE(path.d.size(), 20'000U);
  EXPECT_GT(path.d.size(), 100U);
}

TEST(ReadsPath, ends_in_one_cell_if_nothing_fits) {
  EXPECT_EQ(std::ranges::count(reads_path(wall(1'000, 860, 520), 860, 520, 0).d, 'M'), 1);
}

}  // namespace
}  // namespace seekless
