// Tests the verdict on a device after reads of known lengths and times.
#include "runtime/media_judge.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/host/sizes.h"

namespace seekless::runtime {
namespace {

constexpr uint64_t kFar = 100 * kMiB;

// Devices, described by the time of a jump and of the bytes after it.
class Device {
 public:
  explicit Device(uint64_t seed = 1) : random_(seed) {}

  // 7200 turns a minute, 1 to 5 ms to the track because strokes within a game's content are short,
  // 150 MB/s.
  uint64_t disk(uint64_t length) { return 1000 + between(0, 4000) + turn() + length / 150; }
  // A fast array whose disks are read as one: the same jumps, 600 MB/s.
  uint64_t array(uint64_t length) { return 1000 + between(0, 4000) + turn() + length / 600; }
  // A disk that its driver calls rotational: 154 MB/s for one reader.
  uint64_t virtual_disk(uint64_t length) { return 130 + between(0, 400) + length / 154; }
  // A remote and shared device: one in 15 jumps is a stall.
  uint64_t cloud(uint64_t length) {
    return between(0, 14) == 0 ? between(5000, 30000) : 800 + between(0, 900) + length / 100;
  }
  uint64_t between(uint64_t from, uint64_t to) { return from + random_() % (to - from + 1); }

 private:
  uint64_t turn() { return between(0, 8300); }
  std::mt19937_64 random_;
};

// Returns how many reads it takes until the verdict changes; 0 if it doesn't.
template <typename Take>
size_t reads_to_change(MediaJudge& judge, size_t most, uint64_t length, Take take) {
  for (size_t i = 1; i <= most; ++i)
    if (judge.note({kFar, length, take(length)})) return i;
  return 0;
}

TEST(MediaJudge, believes_what_it_is_told_at_first) {
  EXPECT_TRUE(MediaJudge(true).is_rotational());
  EXPECT_FALSE(MediaJudge(false).is_rotational());
  EXPECT_EQ(MediaJudge(true).median_us(), 0U);
}

TEST(MediaJudge, a_virtual_disk_that_calls_itself_rotational_is_solid_after_32_jumps) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Device device(seed);
    MediaJudge judge(true);
    EXPECT_EQ(reads_to_change(judge, 1000, 64 * kKiB,
                              [&](uint64_t length) { return device.virtual_disk(length); }),
              32U);
    EXPECT_FALSE(judge.is_rotational());
    EXPECT_EQ(judge.fast(), 32U);
    EXPECT_EQ(judge.slow(), 0U);
    EXPECT_LT(judge.median_us(), 1000U);
  }
}

TEST(MediaJudge, a_cloud_disk_with_stalls_is_solid_and_stays_so) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Device device(seed);
    MediaJudge judge(true);
    const auto take = [&](uint64_t length) { return device.cloud(length); };
    EXPECT_GT(reads_to_change(judge, 2000, 64 * kKiB, take), 0U) << seed;
    EXPECT_EQ(reads_to_change(judge, 5000, 64 * kKiB, take), 0U) << seed;
    EXPECT_FALSE(judge.is_rotational());
  }
}

TEST(MediaJudge, a_disk_stays_one) {
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const uint64_t length : {kKiB, 64 * kKiB, 128 * kKiB, kMiB, 2 * kMiB}) {
      Device device(seed);
      MediaJudge judge(true);
      EXPECT_EQ(
          reads_to_change(judge, 3000, length, [&](uint64_t bytes) { return device.disk(bytes); }),
          0U);
      EXPECT_EQ(
          reads_to_change(judge, 3000, length, [&](uint64_t bytes) { return device.array(bytes); }),
          0U);
    }
}

TEST(MediaJudge, a_disk_that_says_it_is_solid_or_was_taken_for_it_is_found_out) {
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const uint64_t length : {4 * kKiB, 64 * kKiB, 2 * kMiB}) {
      Device device(seed);
      MediaJudge judge(false);
      const size_t reads =
          reads_to_change(judge, 200, length, [&](uint64_t bytes) { return device.disk(bytes); });
      EXPECT_EQ(reads, 32U);
      EXPECT_TRUE(judge.is_rotational());
      EXPECT_GE(judge.slow(), 12U);
    }
}

// Sequential reads, and jumps within the drive's read-ahead, take no time on a disk either.
TEST(MediaJudge, reads_without_a_far_jump_say_nothing) {
  MediaJudge judge(true);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(judge.note({0, 64 * kKiB, 100}));
    EXPECT_FALSE(judge.note({8 * kMiB, 64 * kKiB, 100}));
  }
  EXPECT_EQ(judge.jumps(), 0U);
}

// A long read from a fast array takes as long as a short read from a disk without a jump.
TEST(MediaJudge, long_reads_make_no_disk_solid) {
  MediaJudge judge(true);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(judge.note({kFar, 2 * kMiB, 7000}));
  EXPECT_EQ(judge.jumps(), 0U);
  EXPECT_TRUE(judge.needs_short_reads());
}

TEST(MediaJudge, a_disk_with_a_fast_cache_is_a_disk_when_it_goes_to_the_disk) {
  Device device;
  MediaJudge judge(true);
  const auto cached = [&](uint64_t length) { return device.virtual_disk(length); };
  const auto disk = [&](uint64_t length) { return device.disk(length); };
  EXPECT_EQ(reads_to_change(judge, 1000, 64 * kKiB, cached), 32U);
  // Every second read is cached.
  size_t reads = 0;
  while (!judge.is_rotational() && reads < 200)
    judge.note({kFar, 64 * kKiB, ++reads % 2 == 0 ? disk(64 * kKiB) : cached(64 * kKiB)});
  EXPECT_LE(reads, 100U);
  EXPECT_TRUE(judge.is_rotational());
}

TEST(MediaJudge, each_change_back_takes_longer) {
  Device device;
  MediaJudge judge(true);
  size_t before = 0;
  for (int round = 0; round < 5; ++round) {
    const size_t reads = reads_to_change(
        judge, 10'000, 4 * kKiB, [&](uint64_t length) { return device.virtual_disk(length); });
    EXPECT_GE(reads, before == 0 ? 32 : before + 16) << round;
    before = reads;
    EXPECT_EQ(
        reads_to_change(judge, 100, 4 * kKiB, [&](uint64_t length) { return device.disk(length); }),
        32U);
  }
  EXPECT_EQ(judge.changes(), 10U);
  EXPECT_GT(before, 250U);
}

}  // namespace
}  // namespace seekless::runtime
