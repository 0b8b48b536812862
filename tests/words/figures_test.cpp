#include "packer/words/figures.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "tests/extreme_figures.h"

namespace seekless {
namespace {

TEST(Figures, group_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(kMost), "18,446,744,073,709,551,615");
}

TEST(Figures, cells_never_take_more_than_six_characters) {
  for (uint64_t number = 1; number < kMost / 10; number *= 10) {
    for (const uint64_t near : {number - 1, number, number * 5, number * 10 - 1}) {
      EXPECT_LE(count_cell(near).size(), 6U) << near;
      const auto value = static_cast<double>(near) + 0.999;
      EXPECT_LE(number_cell(value, decimals_for(value)).size(), 6U) << value;
    }
  }
  EXPECT_LE(count_cell(kMost).size(), 6U);
  EXPECT_LE(number_cell(1.7e308, 0).size(), 6U);
}

TEST(Figures, cells_shorten_what_is_long) {
  EXPECT_EQ(count_cell(99'999), "99,999");
  EXPECT_EQ(count_cell(123'456), "123k");
  EXPECT_EQ(count_cell(999'600), "1.00M");
  EXPECT_EQ(number_cell(12.345, 2), "12.35");
  EXPECT_EQ(number_cell(12'345.6, 2), "12,346");
}

TEST(Figures, no_ratio_without_a_divisor) {
  EXPECT_EQ(ratio(6, 2), 3);
  EXPECT_FALSE(ratio(1, 0).has_value());
  EXPECT_FALSE(ratio(0, 0).has_value());
  EXPECT_FALSE(ratio(1e300, 1e-300).has_value());
  EXPECT_FALSE(ratio(1, std::numeric_limits<double>::quiet_NaN()).has_value());
}

TEST(Figures, what_is_no_duration_counts_as_zero) {
  EXPECT_EQ(duration_or_zero(1.5), 1.5);
  EXPECT_EQ(duration_or_zero(-1), 0);
  EXPECT_EQ(duration_or_zero(kInfinity), 0);
  EXPECT_EQ(duration_or_zero(std::numeric_limits<double>::quiet_NaN()), 0);
}

TEST(Figures, have_decimal_units_in_sentences) {
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(980'000'000), "980 MB");
  EXPECT_EQ(bytes_text(999'999), "1.00 MB");
  EXPECT_EQ(place_text(412'340'000'000), "412.3 GB");
  EXPECT_EQ(seconds_text(0), "0 s");
  EXPECT_EQ(seconds_text(0.00066), "0.00066 s");
  EXPECT_EQ(seconds_text(0.0066), "0.0066 s");
  EXPECT_EQ(seconds_texts(0.0123, 0.0124), (std::array<std::string, 2>{"0.0123 s", "0.0124 s"}));
  EXPECT_EQ(seconds_texts(14.21, 14.23), (std::array<std::string, 2>{"14.21 s", "14.23 s"}));
  EXPECT_EQ(seconds_texts(0.25, 0.25), (std::array<std::string, 2>{"0.25 s", "0.25 s"}));
  EXPECT_EQ(seconds_text(14.23), "14.2 s");
  EXPECT_EQ(seconds_text(0.25), "0.25 s");
  EXPECT_EQ(seconds_text(1234.4), "1,234 s");
}

TEST(Figures, have_binary_units_for_reads) {
  EXPECT_EQ(read_size_text(512), "512 bytes");
  EXPECT_EQ(read_size_text(16'384), "16 KiB");
  EXPECT_EQ(read_size_text(2 << 20), "2 MiB");
  EXPECT_EQ(read_size_text(3 << 19), "1.5 MiB");
}

}  // namespace
}  // namespace seekless
