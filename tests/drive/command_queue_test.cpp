// Tests which command a drive serves next, and how much it gains by choosing.
#include "packer/drive/command_queue.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/drive/patterns.h"
#include "tests/host/sizes.h"

namespace seekless {
namespace {

std::vector<uint64_t> serve_all(CommandQueue& queue) {
  std::vector<uint64_t> ids;
  while (const auto served = queue.serve_next()) ids.push_back(served->id);
  return ids;
}

// Returns random 4 KiB reads per second over the whole disk, with as many waiting as the drive
// sees.
double random_iops(const DriveProfile& profile, uint32_t depth) {
  constexpr int kReads = 4000;
  Drive drive(profile);
  CommandQueue queue(drive, depth);
  std::mt19937_64 random(11);
  const auto submit = [&] {
    queue.submit(0, random() % (drive.capacity_bytes() / 4096 - 1) * 4096, 4096);
  };
  for (uint32_t i = 0; i < depth; ++i) submit();
  for (int i = 0; i < kReads; ++i) {
    queue.serve_next();
    submit();
  }
  return kReads / drive.counters().busy_ms * 1e3;
}

TEST(CommandQueue, serves_nothing_while_none_waits) {
  Drive drive(builtin("wd-black-1tb"));
  CommandQueue queue(drive, 32);
  EXPECT_FALSE(queue.serve_next());
  queue.submit(7, 0, 4096);
  EXPECT_EQ(queue.waiting(), 1u);
  const auto served = queue.serve_next();
  ASSERT_TRUE(served);
  EXPECT_EQ(served->id, 7u);
  EXPECT_EQ(queue.waiting(), 0u);
  EXPECT_FALSE(queue.serve_next());
}

TEST(CommandQueue, of_depth_one_serves_in_order_at_the_drives_own_times) {
  for (const uint32_t depth : {0, 1}) {
    Drive drive(builtin("wd-black-1tb"));
    Drive alone(builtin("wd-black-1tb"));
    CommandQueue queue(drive, depth);
    const std::vector<uint64_t> positions = {900 * kGB, 0, 500 * kGB, 4096};
    for (uint64_t i = 0; i < positions.size(); ++i) queue.submit(i, positions[i], 4096);
    for (uint64_t i = 0; i < positions.size(); ++i) {
      const auto served = queue.serve_next();
      ASSERT_TRUE(served);
      EXPECT_EQ(served->id, i);
      EXPECT_EQ(served->busy_ms, alone.read(positions[i], 4096));
    }
  }
}

TEST(CommandQueue, serves_what_is_near_before_what_is_far) {
  Drive drive(builtin("wd-black-1tb"));
  CommandQueue queue(drive, 4);
  queue.submit(0, 900 * kGB, 4096);
  queue.submit(1, 300 * kGB, 4096);
  queue.submit(2, 64 * kKiB, 4096);
  EXPECT_EQ(serve_all(queue), (std::vector<uint64_t>{2, 1, 0}));
}

TEST(CommandQueue, counts_the_turn_of_the_platter_as_well_as_the_seek) {
  // Both are a short seek away. The one whose angle comes first is served first.
  std::set<uint64_t> first;
  for (const double angle : {0.0, 0.25, 0.5, 0.75}) {
    Drive drive(builtin("wd-black-1tb"), angle);
    CommandQueue queue(drive, 2);
    const uint64_t half_a_turn = static_cast<uint64_t>(126e6 / 120 / 2);
    queue.submit(0, kGB, 4096);
    queue.submit(1, kGB + half_a_turn, 4096);
    const double expected =
        std::min(drive.reach_ms(kGB, 4096), drive.reach_ms(kGB + half_a_turn, 4096));
    const auto served = queue.serve_next();
    ASSERT_TRUE(served);
    EXPECT_NEAR(served->busy_ms, expected + drive.sweep_ms(kGB, 4096), 1e-6);
    first.insert(served->id);
  }
  EXPECT_EQ(first.size(), 2u);
}

TEST(CommandQueue, serves_what_the_drive_has_read_ahead_first) {
  Drive drive(builtin("wd-black-1tb"));
  drive.read(0, 64 * kKiB);
  drive.wait(100);
  CommandQueue queue(drive, 2);
  queue.submit(0, kGB, 4096);
  queue.submit(1, 64 * kKiB, 4096);
  const auto served = queue.serve_next();
  ASSERT_TRUE(served);
  EXPECT_EQ(served->id, 1u);
  EXPECT_NEAR(served->busy_ms, 0.08 + 4.096 / 600, 1e-6);
}

TEST(CommandQueue, sees_no_more_than_its_depth) {
  Drive drive(builtin("wd-black-1tb"));
  CommandQueue queue(drive, 2);
  queue.submit(0, 900 * kGB, 4096);
  queue.submit(1, 300 * kGB, 4096);
  queue.submit(2, 64 * kKiB, 4096);  // nearest of all, but third in line
  EXPECT_EQ(queue.serve_next()->id, 1u);
}

TEST(CommandQueue, lets_none_starve) {
  constexpr uint64_t kFar = UINT64_MAX;
  for (const uint32_t depth : {2u, 8u, 32u}) {
    Drive drive(builtin("wd-black-1tb"));
    CommandQueue queue(drive, depth);
    queue.submit(kFar, 999 * kGB, 4096);
    uint64_t near = 0;
    for (; near < depth; ++near) queue.submit(near, near * 64 * kKiB, 4096);
    uint64_t passed_over = 0;
    while (queue.serve_next()->id != kFar) {
      ++passed_over;
      queue.submit(near, near * 64 * kKiB, 4096);
      ++near;
    }
    EXPECT_EQ(passed_over, uint64_t{CommandQueue::kPatience} * depth);
  }
}

TEST(CommandQueue, serves_each_command_once_and_charges_the_drive_for_it) {
  Drive drive(builtin("wd-black-1tb"));
  CommandQueue queue(drive, 16);
  std::mt19937_64 random(3);
  std::set<uint64_t> waiting;
  double busy_ms = 0;
  for (uint64_t id = 0; id < 2000; ++id) {
    queue.submit(id, random() % drive.capacity_bytes(), random() % (256 * kKiB));
    waiting.insert(id);
    if (random() % 4 == 0) continue;
    const auto served = queue.serve_next();
    ASSERT_TRUE(served);
    EXPECT_EQ(waiting.erase(served->id), 1u);
    busy_ms += served->busy_ms;
  }
  while (const auto served = queue.serve_next()) {
    EXPECT_EQ(waiting.erase(served->id), 1u);
    busy_ms += served->busy_ms;
  }
  EXPECT_TRUE(waiting.empty());
  EXPECT_NEAR(busy_ms, drive.counters().busy_ms, 1e-6);
}

TEST(CommandQueue, solid_state_serves_in_order) {
  Drive drive(builtin("sata-ssd"));
  CommandQueue queue(drive, 32);
  std::vector<uint64_t> expected;
  for (uint64_t id = 0; id < 50; ++id) {
    queue.submit(id, (50 - id) * kGB, 4096 + id * kKiB);
    expected.push_back(id);
  }
  EXPECT_EQ(serve_all(queue), expected);
}

TEST(CommandQueue, takes_reads_behind_the_end_of_the_drive) {
  Drive drive(builtin("wd-black-1tb"));
  CommandQueue queue(drive, 2);
  queue.submit(0, UINT64_MAX, UINT64_MAX);
  queue.submit(1, drive.capacity_bytes(), 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(queue.serve_next()->busy_ms, 0);
  EXPECT_EQ(drive.counters().reads, 0u);
}

TEST(CommandQueue, deeper_queues_serve_more_random_reads_a_second) {
  double fewer = 0;
  for (const uint32_t depth : {1, 2, 4, 8, 16, 32}) {
    const double iops = random_iops(builtin("wd-black-1tb"), depth);
    EXPECT_GT(iops, fewer * 1.05) << depth;
    fewer = iops;
  }
}

}  // namespace
}  // namespace seekless
