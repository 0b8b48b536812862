#include "packer/plan/internal/linked_order.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

DistancesFrom apart(const std::vector<double>& places) {
  return [&places](uint32_t item, std::span<double> distances) {
    for (size_t i = 0; i < places.size(); ++i) distances[i] = std::abs(places[i] - places[item]);
  };
}

TEST(LinkedOrder, puts_the_nearest_side_by_side) {
  std::vector<double> places;
  for (int i = 0; i < 1000; ++i) places.push_back(i * i);
  std::ranges::shuffle(places, std::mt19937(1));
  std::vector<double> row;
  for (const uint32_t item : linked_order(1000, apart(places))) row.push_back(places[item]);
  if (row.front() > row.back()) std::ranges::reverse(row);
  EXPECT_EQ(row.size(), 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(row));
}

TEST(LinkedOrder, holds_each_once_where_all_are_equally_far) {
  std::vector<uint32_t> row = linked_order(
      300, [](uint32_t, std::span<double> distances) { std::ranges::fill(distances, 1.0); });
  std::ranges::sort(row);
  for (uint32_t i = 0; i < 300; ++i) EXPECT_EQ(row[i], i);
}

TEST(LinkedOrder, of_few) {
  const std::vector<double> places = {5, 3};
  const std::vector<double> none;
  EXPECT_TRUE(linked_order(0, apart(none)).empty());
  EXPECT_EQ(linked_order(2, apart(places)).size(), 2u);
  const std::vector<double> one = {5};
  EXPECT_EQ(linked_order(1, apart(one)), std::vector<uint32_t>{0});
}

}  // namespace
}  // namespace seekless
