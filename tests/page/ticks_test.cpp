#include "packer/page/internal/ticks.h"

#include <limits>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(Ticks, are_1_2_or_5_times_a_power_of_ten) {
  EXPECT_DOUBLE_EQ(tick_step(6, 6), 1);
  EXPECT_DOUBLE_EQ(tick_step(7, 6), 2);
  EXPECT_DOUBLE_EQ(tick_step(14, 6), 5);
  EXPECT_DOUBLE_EQ(tick_step(40, 6), 10);
  EXPECT_DOUBLE_EQ(tick_step(0.07, 5), 0.02);
}

TEST(Ticks, have_the_decimals_of_their_step) {
  EXPECT_EQ(tick_label(2.4, 0.02), "2.40");
  EXPECT_EQ(tick_label(4, 2), "4");
  EXPECT_EQ(tick_label(50, 10), "50");
  EXPECT_EQ(tick_label(3e300, 1e300), "3e+300");
}

TEST(Ticks, are_none_where_nothing_can_be_told_apart) {
  EXPECT_EQ(tick_step(0, 6), 0);
  EXPECT_EQ(tick_step(-1, 6), 0);
  EXPECT_EQ(tick_step(1e-20, 6), 0);
  EXPECT_EQ(tick_step(std::numeric_limits<double>::infinity(), 6), 0);
  EXPECT_EQ(tick_step(std::numeric_limits<double>::quiet_NaN(), 6), 0);
}

}  // namespace
}  // namespace seekless
