// Which reads reach the drive. Expected windows are those of Linux with read_ahead_kb = 128.
#include "packer/drive/page_cache.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/drive/patterns.h"

namespace seekless {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;

class PageCacheTest : public testing::Test {
 protected:
  uint32_t add(uint64_t position_bytes, uint64_t size_bytes) {
    return cache.add_file(position_bytes, size_bytes).value();
  }
  // KiB that went to the drive for one read.
  uint64_t fetched_kib(OpenFile& at, uint64_t offset_bytes, uint64_t length_bytes) {
    return fetched_kib(cache, at, offset_bytes, length_bytes);
  }
  uint64_t fetched_kib(PageCache& of, OpenFile& at, uint64_t offset_bytes, uint64_t length_bytes) {
    drive.reset_counters();
    of.read(at, offset_bytes, length_bytes);
    return drive.counters().bytes / kKiB;
  }

  Drive drive{builtin("wd-black-1tb")};
  PageCache cache{drive, {}};
};

TEST_F(PageCacheTest, reads_in_sequence_coalesce_into_growing_windows) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 16 * kKiB), 32u);           // the start of the file
  EXPECT_EQ(fetched_kib(at, 16 * kKiB, 16 * kKiB), 64u);   // 32..96, at the mark
  EXPECT_EQ(fetched_kib(at, 32 * kKiB, 16 * kKiB), 128u);  // 96..224
  EXPECT_EQ(fetched_kib(at, 48 * kKiB, 48 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 96 * kKiB, 16 * kKiB), 128u);  // 224..352, and so on
  EXPECT_EQ(fetched_kib(at, 112 * kKiB, 112 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 224 * kKiB, 16 * kKiB), 128u);
}

TEST_F(PageCacheTest, long_sequence_reaches_the_drive_128_kib_at_a_time) {
  OpenFile at = cache.open(add(0, 64 * kMiB));
  for (uint64_t offset = 0; offset < 64 * kMiB; offset += 4 * kKiB)
    cache.read(at, offset, 4 * kKiB);
  EXPECT_EQ(drive.counters().bytes, 64 * kMiB);
  EXPECT_NEAR(static_cast<double>(drive.counters().reads), 64 * 8, 4);
  EXPECT_EQ(drive.counters().seeks, 0u);
}

TEST_F(PageCacheTest, sequence_may_begin_in_the_middle_of_a_file) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 10 * kMiB, 16 * kKiB), 16u);              // could be random
  EXPECT_EQ(fetched_kib(at, 10 * kMiB + 16 * kKiB, 16 * kKiB), 32u);  // isn't
  EXPECT_EQ(fetched_kib(at, 10 * kMiB + 32 * kKiB, 16 * kKiB), 64u);
}

TEST_F(PageCacheTest, reads_that_end_within_a_page_are_in_sequence_too) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 10 * kMiB, 5000), 8u);
  EXPECT_EQ(fetched_kib(at, 10 * kMiB + 5000, 5000), 32u);
}

TEST_F(PageCacheTest, random_reads_fetch_just_their_pages) {
  OpenFile at = cache.open(add(0, 900'000'000'000));
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t page = 1 + random() % 200'000'000;
    EXPECT_EQ(fetched_kib(at, page * kPageBytes + 100, 100), 4u);
  }
  EXPECT_EQ(fetched_kib(at, 1'000'000 * kPageBytes - 50, 100), 8u);
}

TEST_F(PageCacheTest, files_read_in_turn_keep_their_windows) {
  OpenFile a = cache.open(add(0, 100 * kMiB));
  OpenFile b = cache.open(add(400'000'000'000, 100 * kMiB));
  for (OpenFile* at : {&a, &b}) EXPECT_EQ(fetched_kib(*at, 0, 16 * kKiB), 32u);
  for (OpenFile* at : {&a, &b}) EXPECT_EQ(fetched_kib(*at, 16 * kKiB, 16 * kKiB), 64u);
  for (OpenFile* at : {&a, &b}) EXPECT_EQ(fetched_kib(*at, 32 * kKiB, 16 * kKiB), 128u);
}

TEST_F(PageCacheTest, file_opened_anew_loses_its_window) {
  PageCache forgetful(drive, {.looks_back = false});
  const uint32_t file = forgetful.add_file(0, 100 * kMiB).value();
  OpenFile kept = forgetful.open(file);
  OpenFile other = forgetful.open(forgetful.add_file(500 * kMiB, 100 * kMiB).value());
  for (uint64_t offset = 0; offset < kMiB; offset += 16 * kKiB) {
    forgetful.read(kept, offset, 16 * kKiB);
    forgetful.read(other, offset, 16 * kKiB);
  }
  const uint64_t uncached = 2 * kMiB;
  for (uint64_t offset = uncached; offset < 3 * kMiB; offset += 16 * kKiB) {
    OpenFile fresh = forgetful.open(file);
    EXPECT_EQ(fetched_kib(forgetful, fresh, offset, 16 * kKiB), 16u) << offset;
  }
  uint64_t reads = 0;
  for (uint64_t offset = kMiB; offset < 2 * kMiB; offset += 16 * kKiB)
    reads += fetched_kib(forgetful, other, offset, 16 * kKiB) != 0;
  EXPECT_EQ(reads, 8u);
}

TEST_F(PageCacheTest, file_opened_anew_far_from_what_was_read_starts_over) {
  const uint32_t file = add(0, 100 * kMiB);
  OpenFile at = cache.open(file);
  for (uint64_t offset = 0; offset < kMiB; offset += 16 * kKiB) cache.read(at, offset, 16 * kKiB);
  OpenFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 50 * kMiB, 16 * kKiB), 16u);
}

TEST_F(PageCacheTest, file_opened_anew_sees_the_pages_just_before) {
  const uint32_t file = add(0, 100 * kMiB);
  OpenFile at = cache.open(file);
  cache.read(at, 10 * kMiB, 64 * kKiB);  // random: 64 KiB, no more
  OpenFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 10 * kMiB + 64 * kKiB, 16 * kKiB), 80u);  // history and read
  OpenFile third = cache.open(file);
  const uint64_t window = 10 * kMiB + 144 * kKiB;
  EXPECT_EQ(fetched_kib(third, window, 16 * kKiB), 128u);
  // The mark is on the last page of such a window.
  EXPECT_EQ(fetched_kib(third, window + 16 * kKiB, 108 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(third, window + 124 * kKiB, 4 * kKiB), 128u);
}

TEST_F(PageCacheTest, as_many_pages_before_as_asked_for_are_not_enough) {
  const uint32_t file = add(0, 100 * kMiB);
  OpenFile at = cache.open(file);
  cache.read(at, 10 * kMiB, 16 * kKiB);
  OpenFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 10 * kMiB + 16 * kKiB, 16 * kKiB), 16u);
}

TEST_F(PageCacheTest, pages_before_count_twice_if_they_reach_to_the_start_of_the_file) {
  const uint32_t file = add(0, 100 * kMiB);
  OpenFile at = cache.open(file);
  cache.read(at, 0, 16 * kKiB);  // 32 KiB are in memory then
  OpenFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 32 * kKiB, 16 * kKiB), 80u);
}

TEST_F(PageCacheTest, read_of_a_whole_window_brings_the_next_one_too) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 128 * kKiB), 256u);
  EXPECT_EQ(fetched_kib(at, 128 * kKiB, 128 * kKiB), 128u);
}

TEST_F(PageCacheTest, read_right_behind_the_window_goes_on_with_it) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 16 * kKiB), 32u);
  EXPECT_EQ(fetched_kib(at, 32 * kKiB, 16 * kKiB), 128u);  // the mark at 16 KiB was skipped
  EXPECT_EQ(fetched_kib(at, 48 * kKiB, 48 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 96 * kKiB, 16 * kKiB), 128u);  // a mark in the middle
}

TEST_F(PageCacheTest, what_is_in_memory_is_free_whoever_read_it) {
  const uint32_t file = add(0, 100 * kMiB);
  OpenFile at = cache.open(file);
  EXPECT_GT(cache.read(at, 5 * kMiB, kMiB), 0);
  drive.reset_counters();
  OpenFile again = cache.open(file);
  EXPECT_EQ(cache.read(again, 5 * kMiB, kMiB), 0);
  EXPECT_EQ(cache.read(again, 5 * kMiB + 77, 4097), 0);
  EXPECT_EQ(drive.counters().reads, 0u);
}

TEST_F(PageCacheTest, fetches_only_what_is_missing_of_a_read) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  cache.read(at, 5 * kMiB + 64 * kKiB, 64 * kKiB);
  EXPECT_EQ(fetched_kib(at, 5 * kMiB, 256 * kKiB), 192u);
}

TEST_F(PageCacheTest, read_ahead_ends_with_the_file) {
  OpenFile at = cache.open(add(0, 40 * kKiB + 1));
  drive.reset_counters();
  cache.read(at, 0, 16 * kKiB);
  cache.read(at, 16 * kKiB, 16 * kKiB);
  EXPECT_EQ(drive.counters().bytes, 40 * kKiB + 1);
  EXPECT_EQ(cache.read(at, 32 * kKiB, kMiB), 0);
}

TEST_F(PageCacheTest, reads_behind_the_end_of_the_file_are_cut) {
  OpenFile at = cache.open(add(0, 10000));
  EXPECT_EQ(cache.read(at, 10000, 1), 0);
  EXPECT_EQ(cache.read(at, UINT64_MAX, UINT64_MAX), 0);
  EXPECT_GT(cache.read(at, 1, UINT64_MAX), 0);
  EXPECT_EQ(drive.counters().bytes, 10000u);
  OpenFile empty = cache.open(add(0, 0));
  EXPECT_EQ(cache.read(empty, 0, 100), 0);
}

TEST_F(PageCacheTest, read_longer_than_the_largest_window_is_fetched_whole) {
  OpenFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 50 * kMiB, 2 * kMiB), 2048u);
  EXPECT_EQ(drive.counters().reads, 1u);
}

TEST_F(PageCacheTest, none_fetches_just_the_pages_even_in_sequence) {
  PageCache plain(drive, kNoReadAhead);
  OpenFile at = plain.open(plain.add_file(0, 100 * kMiB).value());
  for (uint64_t offset = 0; offset < kMiB; offset += 16 * kKiB)
    EXPECT_EQ(fetched_kib(plain, at, offset, 16 * kKiB), 16u);
}

TEST_F(PageCacheTest, refuses_a_file_beyond_the_end_of_the_drive) {
  EXPECT_TRUE(cache.add_file(drive.capacity_bytes() - 100, 100));
  for (const auto& [position, size] :
       {std::pair<uint64_t, uint64_t>{drive.capacity_bytes() - 100, 101},
        {UINT64_MAX, 1},
        {1, UINT64_MAX}}) {
    const auto refused = cache.add_file(position, size);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().message.find("1000200000000"), std::string::npos);
  }
}

TEST_F(PageCacheTest, every_page_reaches_the_drive_once_whatever_the_order) {
  constexpr uint64_t kSize = 4 * kMiB + 123;
  std::mt19937_64 random(9);
  for (const uint64_t max_kib : {0, 4, 8, 64, 128, 1024}) {
    PageCache of(drive, {.initial_bytes = 16 * kKiB, .max_bytes = max_kib * kKiB});
    const uint32_t file = of.add_file(1'000'000, kSize).value();
    OpenFile at = of.open(file);
    drive.reset_counters();
    for (int i = 0; i < 3000; ++i) {
      if (random() % 50 == 0) at = of.open(file);
      of.read(at, random() % kSize, random() % (64 * kKiB));
    }
    of.read(at, 0, kSize);
    EXPECT_EQ(drive.counters().bytes, kSize) << max_kib;
  }
}

}  // namespace
}  // namespace seekless
