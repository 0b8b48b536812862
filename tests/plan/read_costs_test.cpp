#include "packer/plan/internal/read_costs.h"

#include <gtest/gtest.h>

#include "packer/drive/drive.h"

namespace seekless {
namespace {

constexpr uint64_t kGigabyte = 1'000'000'000;

ReadCosts of(std::string_view profile, uint64_t content_bytes) {
  return read_costs(*find_profile(profile), content_bytes);
}

TEST(ReadCosts, a_jump_on_a_disk_takes_at_least_half_a_turn) {
  const ReadCosts costs = of("wd-black-1tb", kGigabyte);
  EXPECT_GT(costs.jump_s, 0.00417);
  EXPECT_LT(costs.jump_s, 0.0127);  // less than between two places of the whole disk
  EXPECT_NEAR(costs.bytes_per_s, 126e6, 0.1e6);
}

TEST(ReadCosts, jumps_are_longer_in_more_content) {
  EXPECT_LT(of("wd-black-1tb", kGigabyte).jump_s, of("wd-black-1tb", 100 * kGigabyte).jump_s);
}

TEST(ReadCosts, content_larger_than_the_drive_is_priced_as_a_full_one) {
  EXPECT_DOUBLE_EQ(of("laptop-5400", UINT64_MAX).jump_s,
                   of("laptop-5400", 1'000'200'000'000).jump_s);
}

TEST(ReadCosts, solid_state_jumps_for_nothing) {
  const ReadCosts costs = of("sata-ssd", kGigabyte);
  EXPECT_EQ(costs.jump_s, 0);
  EXPECT_EQ(costs.gap_s(kGigabyte), 0);
  EXPECT_EQ(costs.break_even_bytes(), 0U);
}

TEST(ReadCosts, a_gap_never_costs_more_than_a_jump_or_a_turn) {
  const ReadCosts costs = {.jump_s = 0.006, .bytes_per_s = 100e6, .turn_bytes = 800'000};
  EXPECT_DOUBLE_EQ(costs.gap_s(500'000), 0.005);
  EXPECT_DOUBLE_EQ(costs.gap_s(700'000), 0.007);
  EXPECT_DOUBLE_EQ(costs.gap_s(5'000'000), 0.006);
  EXPECT_EQ(costs.break_even_bytes(), 600'000U);
  EXPECT_EQ(costs.far_bytes(), 800'000U);
}

// Returns how many more seconds the drive takes for two reads with a gap between them.
double gap_s(const DriveProfile& profile, uint64_t gap_bytes) {
  constexpr uint64_t kRead = 2'000'000;
  Drive drive(profile);
  drive.read(0, kRead);
  return (drive.read(kRead + gap_bytes, kRead) - drive.sweep_ms(kRead + gap_bytes, kRead)) / 1000;
}

TEST(ReadCosts, a_gap_costs_what_the_drive_takes_for_it) {
  for (const char* name : {"wd-black-1tb", "laptop-5400"}) {
    const DriveProfile profile = *find_profile(name);
    const ReadCosts costs = of(name, kGigabyte);
    for (uint64_t gap = costs.turn_bytes / 8; gap < costs.turn_bytes; gap += costs.turn_bytes / 8)
      EXPECT_NEAR(costs.gap_s(gap), gap_s(profile, gap), 0.0003) << name << ' ' << gap;
    double sum_s = 0;
    constexpr int kGaps = 500;
    for (int i = 0; i < kGaps; ++i)
      sum_s += gap_s(profile, kGigabyte / 3 + static_cast<uint64_t>(i) * costs.turn_bytes / 97);
    EXPECT_NEAR(costs.jump_s, sum_s / kGaps, 0.03 * costs.jump_s) << name;
  }
}

}  // namespace
}  // namespace seekless
