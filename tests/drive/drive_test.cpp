// Tests the simulated drive: rotation, gaps, its own read-ahead, the ends of its range.
#include "packer/drive/drive.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/drive/patterns.h"
#include "tests/host/sizes.h"

namespace seekless {
namespace {

constexpr double kTurnMs = 60e3 / 7200;

TEST(Drive, rates_fall_from_the_outer_to_the_inner_edge) {
  const Drive drive(builtin("wd-black-1tb"));
  EXPECT_DOUBLE_EQ(drive.rate_bytes_per_s(0), 126e6);
  EXPECT_NEAR(drive.rate_bytes_per_s(drive.capacity_bytes()), 60e6, 1);
  EXPECT_NEAR(drive.rate_bytes_per_s(drive.capacity_bytes() / 2),
              std::sqrt((126 * 126 + 3600) / 2.0) * 1e6, 1);
}

TEST(Drive, sweeps_add_up_and_agree_with_the_rate_there) {
  const Drive drive(builtin("toshiba-x300-4tb"));
  const uint64_t middle = drive.capacity_bytes() / 2;
  EXPECT_NEAR(drive.sweep_ms(middle, kMiB),
              static_cast<double>(kMiB) / drive.rate_bytes_per_s(middle) * 1e3, 1e-4);
  EXPECT_NEAR(drive.sweep_ms(0, middle) + drive.sweep_ms(middle, middle),
              drive.sweep_ms(0, drive.capacity_bytes()), 1e-3);
}

TEST(Drive, seek_curve_starts_at_zero_rises_and_ends_at_the_full_stroke) {
  const Drive drive(builtin("wd-black-1tb"));
  EXPECT_EQ(drive.seek_ms(5, 5), 0);
  EXPECT_NEAR(drive.seek_ms(0, drive.capacity_bytes()), 16, 1e-6);
  EXPECT_DOUBLE_EQ(drive.seek_ms(1000, 2'000'000'000), drive.seek_ms(2'000'000'000, 1000));
  double before_ms = 0.9;
  for (uint64_t to = kMiB; to < drive.capacity_bytes(); to += 1'000'000'000) {
    EXPECT_GE(drive.seek_ms(0, to), before_ms);
    before_ms = drive.seek_ms(0, to);
  }
}

TEST(Drive, rotation_is_anything_up_to_a_turn_and_half_of_it_on_average) {
  double sum_ms = 0;
  double least_ms = 1e9;
  double most_ms = 0;
  for (int i = 0; i < 1000; ++i) {
    Drive drive(builtin("wd-black-1tb"), i / 1000.0);
    const uint64_t position = 300'000'000'000;
    const double rotation_ms = drive.read(position, 4096) - 0.08 - drive.seek_ms(0, position) -
                               drive.sweep_ms(position, 4096);
    sum_ms += rotation_ms;
    least_ms = std::min(least_ms, rotation_ms);
    most_ms = std::max(most_ms, rotation_ms);
  }
  EXPECT_NEAR(sum_ms / 1000, kTurnMs / 2, 0.01);
  EXPECT_GE(least_ms, -1e-6);
  EXPECT_LT(least_ms, 0.01);
  EXPECT_LE(most_ms, kTurnMs + 1e-6);
  EXPECT_GT(most_ms, kTurnMs - 0.01);
}

TEST(Drive, idle_time_turns_the_platter) {
  const uint64_t position = 300'000'000'000;
  Drive drive(builtin("wd-black-1tb"));
  Drive later = drive;
  later.wait(1.5);
  const double change_ms = drive.read(position, 4096) - later.read(position, 4096);
  EXPECT_NEAR(std::min(std::abs(change_ms - 1.5), std::abs(change_ms - 1.5 + kTurnMs)), 0, 1e-6);
  EXPECT_NEAR(later.now_ms(), 1.5 + later.counters().busy_ms, 1e-9);
}

TEST(Drive, reads_in_sequence_run_at_the_rate_of_the_medium) {
  for (const uint64_t length : {16 * kKiB, 128 * kKiB, kMiB, 8 * kMiB}) {
    Drive drive(builtin("wd-black-1tb"));
    drive.read(0, length);
    drive.reset_counters();
    for (uint64_t at = length; at < 512 * kMiB; at += length) drive.read(at, length);
    EXPECT_EQ(drive.counters().seeks, 0u) << length;
    expect_within(drive.counters().busy_ms, drive.sweep_ms(length, 512 * kMiB - length), 0.001,
                  "time");
  }
}

TEST(Drive, small_reads_in_sequence_are_bound_by_the_overhead_of_commands) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, 4096);
  drive.reset_counters();
  for (uint64_t i = 1; i <= 10000; ++i) drive.read(i * 4096, 4096);
  EXPECT_NEAR(drive.counters().busy_ms / 10000, 0.08 + 4096 / 600e3, 0.001);
}

TEST(Drive, short_forward_gap_is_passed_over_at_the_rate_of_the_medium) {
  for (const uint64_t gap : {64 * kKiB, 512 * kKiB, 900 * kKiB}) {
    Drive drive(builtin("wd-black-1tb"));
    drive.read(0, kMiB);
    drive.reset_counters();
    const double busy_ms = drive.read(kMiB + gap, kMiB);
    EXPECT_NEAR(busy_ms, drive.sweep_ms(kMiB, gap + kMiB), 0.001) << gap;
    EXPECT_EQ(drive.counters().seeks, 0u) << gap;
  }
}

TEST(Drive, long_forward_gap_is_sought_over) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, kMiB);
  EXPECT_LT(drive.read(100 * kMiB, kMiB), drive.sweep_ms(kMiB, 100 * kMiB));
  EXPECT_EQ(drive.counters().seeks, 1u);
}

TEST(Drive, backward_step_is_a_seek) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(10 * kMiB, kMiB);
  drive.reset_counters();
  const double busy_ms = drive.read(9 * kMiB, kMiB);
  EXPECT_EQ(drive.counters().seeks, 1u);
  EXPECT_GT(busy_ms, 0.08 + 0.9 + drive.sweep_ms(9 * kMiB, kMiB));
}

TEST(Drive, what_it_read_ahead_costs_overhead_and_interface_time) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, 64 * kKiB);
  drive.wait(100);
  EXPECT_NEAR(drive.read(64 * kKiB, 64 * kKiB), 0.08 + 64 * 1.024 / 600, 1e-6);
}

TEST(Drive, what_it_has_not_read_ahead_yet_comes_when_the_medium_gives_it) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, 64 * kKiB);
  drive.wait(0.2);
  EXPECT_NEAR(drive.read(64 * kKiB, 128 * kKiB), drive.sweep_ms(64 * kKiB, 128 * kKiB) - 0.2, 1e-6);
}

TEST(Drive, rests_at_the_end_of_its_read_ahead_until_the_place_comes_round) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, 64 * kKiB);
  const double sought_ms = drive.sweep_ms(64 * kKiB, 256 * kKiB);
  drive.wait(sought_ms + kTurnMs / 4);  // the head is a quarter turn past the end of the segment
  const double busy_ms = drive.read(320 * kKiB, 64 * kKiB);
  EXPECT_NEAR(busy_ms, kTurnMs * 3 / 4 + drive.sweep_ms(320 * kKiB, 64 * kKiB), 0.01);
}

TEST(Drive, rests_on_a_track_and_reads_what_follows_on_it_without_a_seek) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, 64 * kKiB);
  drive.wait(100);
  const double busy_ms = drive.read(420 * kKiB, 64 * kKiB);  // 100 KiB past its read-ahead
  EXPECT_EQ(drive.counters().seeks, 0u);
  EXPECT_LE(busy_ms, 0.08 + kTurnMs + drive.sweep_ms(420 * kKiB, 64 * kKiB) + 1e-6);
  drive.read(330 * kKiB, 4 * kKiB);  // it never read these bytes
  EXPECT_EQ(drive.counters().seeks, 1u);
}

TEST(Drive, remembers_one_segment_of_what_it_has_read) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(10 * kMiB, 4 * kMiB);
  drive.reset_counters();
  EXPECT_NEAR(drive.read(14 * kMiB - 128 * kKiB, 64 * kKiB), 0.08 + 64 * 1.024 / 600, 1e-6);
  EXPECT_EQ(drive.counters().seeks, 0u);
  drive.read(10 * kMiB, 64 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 1u);
}

Drive drive_with_segments(uint64_t segments, uint64_t segment_bytes = kMiB) {
  HardDisk disk = disk_of("wd-black-1tb");
  disk.segments = segments;
  disk.segment_bytes = segment_bytes;
  return Drive({"with memory", disk});
}

TEST(Drive, gives_what_it_read_before_out_of_its_memory) {
  Drive drive = drive_with_segments(4);
  drive.read(0, 256 * kKiB);
  drive.read(500'000'000'000, 64 * kKiB);
  drive.reset_counters();
  EXPECT_NEAR(drive.read(128 * kKiB, 64 * kKiB), 0.08 + 64 * 1.024 / 600, 1e-6);
  // In the meantime, the drive read on.
  drive.read(500'000'000'000 + 64 * kKiB, 64 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 0u);
}

TEST(Drive, forgets_the_stretch_that_was_not_used_for_longest) {
  const uint64_t first = 0;
  const uint64_t second = 300'000'000'000;
  Drive drive = drive_with_segments(3);
  drive.read(first, 64 * kKiB);
  drive.read(second, 64 * kKiB);
  drive.read(500'000'000'000, 64 * kKiB);
  drive.read(first, 4 * kKiB);  // makes this segment the latest one
  drive.read(700'000'000'000, 64 * kKiB);
  drive.reset_counters();
  drive.read(first, 64 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 0u);
  drive.read(second, 64 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 1u);
}

TEST(Drive, keeps_as_much_of_a_stretch_as_a_segment_holds) {
  Drive drive = drive_with_segments(2);
  drive.read(0, 4 * kMiB);
  drive.read(500'000'000'000, 4 * kKiB);
  drive.reset_counters();
  drive.read(3 * kMiB + 4 * kKiB, 64 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 0u);
  drive.read(2 * kMiB, 64 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 1u);
}

TEST(Drive, goes_on_from_the_medium_where_its_memory_ends) {
  Drive drive = drive_with_segments(2);
  drive.read(0, 64 * kKiB);
  drive.wait(100);  // it reads on up to 320 KiB
  drive.read(500'000'000'000, 4 * kKiB);
  drive.reset_counters();
  const double seek_ms = drive.seek_ms(500'000'000'000, 320 * kKiB);
  const double busy_ms = drive.read(256 * kKiB, 128 * kKiB);
  EXPECT_EQ(drive.counters().seeks, 1u);
  EXPECT_GE(busy_ms, 0.08 + seek_ms + drive.sweep_ms(320 * kKiB, 64 * kKiB) - 0.01);
  EXPECT_LE(busy_ms, 0.08 + seek_ms + kTurnMs + drive.sweep_ms(320 * kKiB, 64 * kKiB) + 0.01);
}

TEST(Drive, with_one_segment_is_the_same_however_that_is_said) {
  Drive drive(builtin("wd-black-1tb"));
  Drive same = drive_with_segments(1, 256 * kKiB);
  std::mt19937_64 random(5);
  uint64_t position = 0;
  for (int i = 0; i < 10000; ++i) {
    position = random() % 3 == 0 ? random() % 1'000'000'000 : position + random() % kMiB;
    const uint64_t length = 1 + random() % (256 * kKiB);
    ASSERT_EQ(drive.read(position, length), same.read(position, length));
  }
}

TEST(Drive, more_memory_never_makes_a_series_of_reads_much_slower) {
  std::mt19937_64 random(9);
  Drive without(builtin("wd-black-1tb"));
  Drive with = drive_with_segments(16, 2 * kMiB);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t position = random() % (64 * kMiB) / (16 * kKiB) * (16 * kKiB);
    without.read(position, 16 * kKiB);
    with.read(position, 16 * kKiB);
  }
  EXPECT_LT(with.counters().busy_ms, without.counters().busy_ms);
  EXPECT_LT(with.counters().seeks, without.counters().seeks);
}

TEST(Drive, without_read_ahead_of_its_own_small_reads_in_sequence_lose_a_turn_each) {
  HardDisk disk = disk_of("wd-black-1tb");
  disk.read_ahead_bytes = 0;
  Drive drive({"bare", disk});
  drive.read(0, 4096);
  EXPECT_NEAR(drive.read(4096, 4096), kTurnMs + drive.sweep_ms(4096, 4096), 0.001);
}

TEST(Drive, breaks_even_where_reading_through_takes_as_long_as_a_short_access) {
  const Drive drive(builtin("wd-black-1tb"));
  for (const uint64_t position :
       {uint64_t{0}, uint64_t{500'000'000'000}, uint64_t{990'000'000'000}}) {
    const uint64_t gap = drive.break_even_gap_bytes(position);
    EXPECT_NEAR(drive.sweep_ms(position, gap), drive.access_ms(position, position + gap), 1e-4);
  }
  // Just above t0 + half a turn + overhead, 5.15 ms, at 126 MB/s.
  EXPECT_NEAR(static_cast<double>(drive.break_even_gap_bytes(0)), 650e3, 10e3);
  EXPECT_EQ(drive.break_even_gap_bytes(drive.capacity_bytes()), 0u);
}

// The time to the last byte is the time to the first byte plus the transfer, unless the bytes come
// from the drive's memory.
TEST(Drive, tells_how_soon_it_would_reach_a_place_and_changes_nothing_by_it) {
  for (const char* name : {"wd-black-1tb", "laptop-5400", "sata-ssd"}) {
    Drive drive(builtin(name));
    std::mt19937_64 random(21);
    uint64_t position = 0;
    for (int i = 0; i < 20000; ++i) {
      position = random() % 3 == 0 ? random() % 1'000'000'000'000 : position + random() % kMiB;
      const uint64_t length = 1 + random() % (128 * kKiB);
      const double reach_ms = drive.reach_ms(position, length);
      ASSERT_EQ(reach_ms, drive.reach_ms(position, length));
      const double sweep_ms = drive.sweep_ms(position, length);
      const double busy_ms = drive.read(position, length);
      ASSERT_LE(busy_ms, reach_ms + sweep_ms + 1e-6);
      ASSERT_GE(busy_ms, reach_ms - 1e-6);
    }
  }
}

TEST(Drive, reads_are_cut_at_its_end) {
  Drive drive(builtin("wd-black-1tb"));
  const uint64_t capacity = drive.capacity_bytes();
  EXPECT_EQ(drive.read(capacity, 4096), 0);
  EXPECT_EQ(drive.read(UINT64_MAX, UINT64_MAX), 0);
  EXPECT_EQ(drive.counters().reads, 0u);
  EXPECT_TRUE(std::isfinite(drive.read(capacity - 100, UINT64_MAX)));
  EXPECT_EQ(drive.counters().bytes, 100u);
  EXPECT_TRUE(drive.holds(capacity, 0));
  EXPECT_FALSE(drive.holds(capacity, 1));
  EXPECT_FALSE(drive.holds(1, UINT64_MAX));
}

TEST(Drive, empty_read_costs_nothing) {
  Drive drive(builtin("wd-black-1tb"));
  EXPECT_EQ(drive.read(1000, 0), 0);
  EXPECT_EQ(drive.counters().reads, 0u);
}

TEST(Drive, solid_state_costs_the_same_anywhere) {
  Drive drive(builtin("sata-ssd"));
  const double expected_ms = 0.14 + 4096 / 550e3;
  EXPECT_NEAR(drive.read(0, 4096), expected_ms, 1e-9);
  EXPECT_NEAR(drive.read(700'000'000'000, 4096), expected_ms, 1e-9);
  EXPECT_EQ(drive.counters().seeks, 0u);
  EXPECT_EQ(drive.seek_ms(0, 700'000'000'000), 0);
  EXPECT_DOUBLE_EQ(drive.average_access_ms(), 0.14);
  EXPECT_NEAR(static_cast<double>(drive.break_even_gap_bytes(0)), 77000, 1);
}

TEST(Drive, same_reads_take_the_same_time) {
  EXPECT_EQ(random_read_ms(builtin("laptop-5400"), 4096, 1000),
            random_read_ms(builtin("laptop-5400"), 4096, 1000));
}

TEST(Drive, nothing_is_quicker_than_its_lower_bound_or_slower_than_a_full_access) {
  Drive drive(builtin("wd-black-1tb"));
  std::mt19937_64 random(7);
  uint64_t position = 0;
  for (int i = 0; i < 100000; ++i) {
    const uint64_t length = 1 + random() % (512 * kKiB);
    // Most reads are near the one before, so that segments, gaps and backward steps all occur.
    if (random() % 8 == 0)
      position = random() % (drive.capacity_bytes() - kMiB);
    else
      position = (position + random() % (2 * kMiB)) % (drive.capacity_bytes() - kMiB);
    if (random() % 4 == 0) drive.wait(static_cast<double>(random() % 1000) / 100);
    const double busy_ms = drive.read(position, length);
    ASSERT_GE(busy_ms, 0.08 - 1e-6);
    ASSERT_LE(busy_ms, 0.08 + 16 + kTurnMs + drive.sweep_ms(position, length) + 0.01);
  }
}

}  // namespace
}  // namespace seekless
