#include "packer/analysis/internal/size_histogram.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(SizeHistogram, tells_powers_of_two_exactly) {
  for (unsigned power = 0; power < 64; ++power) {
    SizeHistogram sizes;
    sizes.add(uint64_t{1} << power);
    EXPECT_EQ(sizes.median(), uint64_t{1} << power);
    EXPECT_EQ(sizes.power_of_two(power).count, 1U);
  }
}

TEST(SizeHistogram, median_is_at_most_six_percent_low) {
  for (const uint64_t size : {3ULL, 17ULL, 1000ULL, 4097ULL, 123'456'789ULL, ~0ULL}) {
    SizeHistogram sizes;
    sizes.add(size);
    EXPECT_LE(sizes.median(), size);
    EXPECT_GE(static_cast<double>(sizes.median()), static_cast<double>(size) * 0.94);
  }
}

TEST(SizeHistogram, medians_by_count_and_by_bytes_differ) {
  SizeHistogram sizes;
  for (int i = 0; i < 9; ++i) sizes.add(16);
  sizes.add(65536);
  EXPECT_EQ(sizes.median(), 16U);
  EXPECT_EQ(sizes.median_by_bytes(), 65536U);
}

TEST(SizeHistogram, classes_end_before_the_next_power_of_two) {
  SizeHistogram sizes;
  sizes.add(4096);
  sizes.add(8191);
  sizes.add(8192);
  EXPECT_EQ(sizes.power_of_two(12).count, 2U);
  EXPECT_EQ(sizes.power_of_two(12).bytes, 4096U + 8191);
  EXPECT_EQ(sizes.power_of_two(13).count, 1U);
  EXPECT_EQ(sizes.power_of_two(11).count, 0U);
}

TEST(SizeHistogram, of_nothing_has_no_median) {
  EXPECT_EQ(SizeHistogram().median(), 0U);
}

}  // namespace
}  // namespace seekless
