// Tests which reads reach the drive. The expected windows are those of Linux with read_ahead_kb =
// 128.
#include "packer/drive/page_cache.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/drive/size.h"
#include "tests/drive/patterns.h"
#include "tests/host/sizes.h"

namespace seekless {
namespace {

class PageCacheTest : public testing::Test {
 protected:
  uint32_t add(uint64_t position_bytes, uint64_t size_bytes) {
    return cache.add_file(position_bytes, size_bytes).value();
  }
  // Returns how many KiB went to the drive for one read.
  uint64_t fetched_kib(CachedFile& at, uint64_t offset_bytes, uint64_t length_bytes) {
    return fetched_kib(cache, at, offset_bytes, length_bytes);
  }
  uint64_t fetched_kib(PageCache& of, CachedFile& at, uint64_t offset_bytes,
                       uint64_t length_bytes) {
    drive.reset_counters();
    of.read(at, offset_bytes, length_bytes);
    return drive.counters().bytes / kKiB;
  }

  Drive drive{builtin("wd-black-1tb")};
  PageCache cache{drive, {}};
};

TEST_F(PageCacheTest, of_a_file_in_pieces_reads_each_piece_where_it_lies) {
  const std::vector<Extent> pieces = {{0, kMiB, 8 * kKiB}, {12 * kKiB, 7 * kMiB, 8 * kKiB}};
  PageCache plain(drive, kNoReadAhead);
  CachedFile at = plain.open(plain.add_file(pieces, 20 * kKiB));
  const auto misses = plain.misses(at, 4 * kKiB, 16 * kKiB);
  ASSERT_EQ(misses.size(), 2u) << "the hole between them costs nothing";
  EXPECT_EQ(misses[0].position_bytes, kMiB + 4 * kKiB);
  EXPECT_EQ(misses[0].length_bytes, 4 * kKiB);
  EXPECT_EQ(misses[1].position_bytes, 7 * kMiB);
  EXPECT_EQ(misses[1].length_bytes, 8 * kKiB);
  EXPECT_TRUE(plain.misses(at, 4 * kKiB, 16 * kKiB).empty()) << "they are in memory now";
}

TEST_F(PageCacheTest, reads_in_sequence_coalesce_into_growing_windows) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 16 * kKiB), 32u);          // the start of the file
  EXPECT_EQ(fetched_kib(at, 16 * kKiB, 16 * kKiB), 64u);  // 32..96, at the mark
  EXPECT_EQ(fetched_kib(at, 32 * kKiB, 16 * kKiB), 96u);  // 96..192: 224 is within a folio of 64
  EXPECT_EQ(fetched_kib(at, 48 * kKiB, 48 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 96 * kKiB, 16 * kKiB), 64u);  // 192..256
  EXPECT_EQ(fetched_kib(at, 112 * kKiB, 80 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 192 * kKiB, 16 * kKiB), 128u);  // 256..384, and so on
  EXPECT_EQ(fetched_kib(at, 208 * kKiB, 48 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 256 * kKiB, 16 * kKiB), 128u);
}

TEST_F(PageCacheTest, long_sequence_reaches_the_drive_128_kib_at_a_time) {
  CachedFile at = cache.open(add(0, 64 * kMiB));
  for (uint64_t offset = 0; offset < 64 * kMiB; offset += 4 * kKiB)
    cache.read(at, offset, 4 * kKiB);
  EXPECT_EQ(drive.counters().bytes, 64 * kMiB);
  EXPECT_NEAR(static_cast<double>(drive.counters().reads), 64 * 8, 5);
  EXPECT_EQ(drive.counters().seeks, 0u);
}

TEST_F(PageCacheTest, sequence_may_begin_in_the_middle_of_a_file) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 10 * kMiB, 16 * kKiB), 16u);              // could be random
  EXPECT_EQ(fetched_kib(at, 10 * kMiB + 16 * kKiB, 16 * kKiB), 32u);  // isn't
  EXPECT_EQ(fetched_kib(at, 10 * kMiB + 32 * kKiB, 16 * kKiB), 64u);
}

TEST_F(PageCacheTest, reads_that_end_within_a_page_are_in_sequence_too) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 10 * kMiB, 5000), 8u);
  EXPECT_EQ(fetched_kib(at, 10 * kMiB + 5000, 5000), 16u);
}

TEST_F(PageCacheTest, random_reads_fetch_just_their_pages) {
  CachedFile at = cache.open(add(0, 900'000'000'000));
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t page = 1 + random() % 200'000'000;
    EXPECT_EQ(fetched_kib(at, page * kPageBytes + 100, 100), 4u);
  }
  EXPECT_EQ(fetched_kib(at, 1'000'000 * kPageBytes - 50, 100), 8u);
}

TEST_F(PageCacheTest, files_read_in_turn_keep_their_windows) {
  CachedFile a = cache.open(add(0, 100 * kMiB));
  CachedFile b = cache.open(add(400'000'000'000, 100 * kMiB));
  for (CachedFile* at : {&a, &b}) EXPECT_EQ(fetched_kib(*at, 0, 16 * kKiB), 32u);
  for (CachedFile* at : {&a, &b}) EXPECT_EQ(fetched_kib(*at, 16 * kKiB, 16 * kKiB), 64u);
  for (CachedFile* at : {&a, &b}) EXPECT_EQ(fetched_kib(*at, 32 * kKiB, 16 * kKiB), 96u);
}

TEST_F(PageCacheTest, first_window_of_a_page_is_16_kib) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 4 * kKiB), 16u);
  EXPECT_EQ(fetched_kib(at, 4 * kKiB, 4 * kKiB), 32u);  // its mark
}

TEST_F(PageCacheTest, pieces_read_from_back_to_front_are_random) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  for (uint64_t i = 50; i > 0; --i)
    EXPECT_EQ(fetched_kib(at, 10 * kMiB + i * 8 * kKiB, 8 * kKiB), 8u) << i;
}

TEST_F(PageCacheTest, mark_works_for_whoever_reads_it) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile first = cache.open(file);
  cache.read(first, 0, 16 * kKiB);  // 32 KiB, with a mark at 16 KiB
  CachedFile second = cache.open(file);
  // Four pages are in memory from the mark on and four are asked for: 8 pages, hence 16.
  EXPECT_EQ(fetched_kib(second, 16 * kKiB, 16 * kKiB), 64u);
  CachedFile third = cache.open(file);
  EXPECT_EQ(fetched_kib(third, 16 * kKiB, 16 * kKiB), 0u) << "a mark works once";
}

TEST_F(PageCacheTest, window_that_a_mark_brings_ends_where_its_folios_would) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  const uint64_t odd = 10 * kMiB + 4 * kKiB;
  fetched_kib(at, odd, 4 * kKiB);
  EXPECT_EQ(fetched_kib(at, odd + 4 * kKiB, 8 * kKiB), 16u);
  EXPECT_EQ(fetched_kib(at, odd + 12 * kKiB, 4 * kKiB), 24u) << "32, less 8";
}

TEST_F(PageCacheTest, folio_carries_its_mark_as_a_whole) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 32 * kKiB), 64u);
  EXPECT_EQ(fetched_kib(at, 32 * kKiB, 4 * kKiB), 128u);  // its mark is on the folio of 64..80
  EXPECT_EQ(fetched_kib(at, 72 * kKiB, 4 * kKiB), 128u);
  EXPECT_EQ(fetched_kib(at, 64 * kKiB, 8 * kKiB), 0u) << "a mark works once";
}

// This is the kernel's behaviour: its search for missing pages fails in folios of several pages.
TEST_F(PageCacheTest, mark_on_a_large_folio_leaves_out_a_page_for_others) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile first = cache.open(file);
  for (const uint64_t page : {0, 1, 2, 5}) cache.read(first, kMiB + page * kPageBytes, kPageBytes);
  // Pages 0 to 15 of that MiB are in memory, and the folio of 12 to 15 has a mark.
  CachedFile second = cache.open(file);
  const auto window = cache.misses(second, kMiB + 12 * kPageBytes, kPageBytes);
  ASSERT_EQ(window.size(), 1u);
  EXPECT_EQ(window[0].position_bytes, kMiB + 17 * kPageBytes);
  EXPECT_EQ(window[0].length_bytes, 11 * kPageBytes);
  const auto left = cache.misses(second, kMiB + 16 * kPageBytes, kPageBytes);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].position_bytes, kMiB + 16 * kPageBytes);
  EXPECT_EQ(left[0].length_bytes, kPageBytes);
}

TEST_F(PageCacheTest, file_opened_anew_far_from_what_was_read_starts_over) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile at = cache.open(file);
  for (uint64_t offset = 0; offset < kMiB; offset += 16 * kKiB) cache.read(at, offset, 16 * kKiB);
  CachedFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 50 * kMiB, 16 * kKiB), 16u);
}

TEST_F(PageCacheTest, file_opened_anew_sees_the_pages_just_before) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile at = cache.open(file);
  cache.read(at, 10 * kMiB, 64 * kKiB);  // random: 64 KiB, no more
  CachedFile again = cache.open(file);
  // The pages read before, and this read.
  EXPECT_EQ(fetched_kib(again, 10 * kMiB + 64 * kKiB, 16 * kKiB), 80u);
  CachedFile third = cache.open(file);
  const uint64_t window = 10 * kMiB + 144 * kKiB;
  EXPECT_EQ(fetched_kib(third, window, 16 * kKiB), 128u);
  // The mark is on the last page of such a window.
  EXPECT_EQ(fetched_kib(third, window + 16 * kKiB, 108 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(third, window + 124 * kKiB, 4 * kKiB), 128u);
}

TEST_F(PageCacheTest, as_many_pages_before_as_asked_for_are_not_enough) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile at = cache.open(file);
  cache.read(at, 10 * kMiB, 16 * kKiB);
  CachedFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 10 * kMiB + 16 * kKiB, 16 * kKiB), 16u);
}

TEST_F(PageCacheTest, pages_before_count_twice_if_they_reach_to_the_start_of_the_file) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile at = cache.open(file);
  cache.read(at, 0, 16 * kKiB);  // 32 KiB are in memory then
  CachedFile again = cache.open(file);
  EXPECT_EQ(fetched_kib(again, 32 * kKiB, 16 * kKiB), 80u);
}

TEST_F(PageCacheTest, read_of_a_whole_window_brings_the_next_one_too) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 128 * kKiB), 256u);
  EXPECT_EQ(fetched_kib(at, 128 * kKiB, 128 * kKiB), 128u);
}

TEST_F(PageCacheTest, read_right_behind_the_window_goes_on_with_it) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 0, 16 * kKiB), 32u);
  // The mark at 16 KiB was skipped, but the pages in memory before the read count: twice their
  // number, because they reach to the file's start, and the read.
  EXPECT_EQ(fetched_kib(at, 32 * kKiB, 16 * kKiB), 80u);
  EXPECT_EQ(fetched_kib(at, 48 * kKiB, 48 * kKiB), 0u);
  EXPECT_EQ(fetched_kib(at, 96 * kKiB, 16 * kKiB), 128u);  // a mark on the last page
}

TEST_F(PageCacheTest, what_is_in_memory_is_free_whoever_read_it) {
  const uint32_t file = add(0, 100 * kMiB);
  CachedFile at = cache.open(file);
  EXPECT_GT(cache.read(at, 5 * kMiB, kMiB), 0);
  drive.reset_counters();
  CachedFile again = cache.open(file);
  EXPECT_EQ(cache.read(again, 5 * kMiB, kMiB), 0);
  EXPECT_EQ(cache.read(again, 5 * kMiB + 77, 4097), 0);
  EXPECT_EQ(drive.counters().reads, 0u);
}

TEST_F(PageCacheTest, fetches_only_what_is_missing_of_a_read) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  cache.read(at, 5 * kMiB + 64 * kKiB, 64 * kKiB);
  EXPECT_EQ(fetched_kib(at, 5 * kMiB, 256 * kKiB), 192u);
}

TEST_F(PageCacheTest, read_ahead_ends_with_the_file) {
  CachedFile at = cache.open(add(0, 40 * kKiB + 1));
  drive.reset_counters();
  cache.read(at, 0, 16 * kKiB);
  cache.read(at, 16 * kKiB, 16 * kKiB);
  EXPECT_EQ(drive.counters().bytes, 40 * kKiB + 1);
  EXPECT_EQ(cache.read(at, 32 * kKiB, kMiB), 0);
}

TEST_F(PageCacheTest, reads_behind_the_end_of_the_file_are_cut) {
  CachedFile at = cache.open(add(0, 10000));
  EXPECT_EQ(cache.read(at, 10000, 1), 0);
  EXPECT_EQ(cache.read(at, UINT64_MAX, UINT64_MAX), 0);
  EXPECT_GT(cache.read(at, 1, UINT64_MAX), 0);
  EXPECT_EQ(drive.counters().bytes, 10000u);
  CachedFile empty = cache.open(add(0, 0));
  EXPECT_EQ(cache.read(empty, 0, 100), 0);
}

TEST_F(PageCacheTest, random_read_longer_than_the_largest_window_is_fetched_whole) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  EXPECT_EQ(fetched_kib(at, 50 * kMiB, kMiB), 1024u);
  EXPECT_EQ(drive.counters().reads, 1u);
}

TEST_F(PageCacheTest, read_longer_than_the_device_takes_at_once_counts_as_a_sequence) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  // 1280 KiB; as much again from the mark in their middle on; and the rest of the read at the next
  // mark.
  EXPECT_EQ(fetched_kib(at, 50 * kMiB, 2 * kMiB), 1280u + 1280 + 768);
}

TEST_F(PageCacheTest, fault_in_a_mapping_brings_what_lies_around_it) {
  CachedFile at = cache.open(add(0, 100 * kMiB));
  const auto around = cache.faults(at, 10 * kMiB, 1);
  ASSERT_EQ(around.size(), 1u);
  EXPECT_EQ(around[0].position_bytes, 10 * kMiB - 64 * kKiB);
  EXPECT_EQ(around[0].length_bytes, 128 * kKiB);
  EXPECT_TRUE(cache.faults(at, 10 * kMiB - 64 * kKiB, 96 * kKiB).empty());
  EXPECT_EQ(cache.faults(at, 10 * kMiB + 32 * kKiB, 1).size(), 1u) << "the mark, a quarter early";
  EXPECT_TRUE(cache.faults(at, 200 * kMiB, 1).empty());
}

TEST_F(PageCacheTest, mapping_touched_from_end_to_end_is_read_once) {
  for (const ReadAhead& style : {ReadAhead{}, kNoReadAhead, kWindowsReadAhead}) {
    PageCache of(drive, style);
    CachedFile at = of.open(of.add_file(0, 10 * kMiB + 5).value());
    uint64_t bytes = 0;
    for (const DriveRead& read : of.faults(at, 0, UINT64_MAX)) bytes += read.length_bytes;
    EXPECT_EQ(bytes, 10 * kMiB + 5);
  }
}

class WindowsPageCacheTest : public PageCacheTest {
 protected:
  PageCache windows{drive, kWindowsReadAhead};
  CachedFile at = windows.open(windows.add_file(0, 100 * kMiB).value());
  uint64_t fetched(uint64_t offset_bytes, uint64_t length_bytes) {
    return fetched_kib(windows, at, offset_bytes, length_bytes);
  }
};

TEST_F(WindowsPageCacheTest, third_read_in_sequence_has_it_read_on_by_granules) {
  EXPECT_EQ(fetched(0, 16 * kKiB), 16u);
  EXPECT_EQ(fetched(16 * kKiB, 16 * kKiB), 16u);
  EXPECT_EQ(fetched(32 * kKiB, 16 * kKiB), 16u + 80);  // to the end of the second granule
  EXPECT_EQ(fetched(48 * kKiB, 16 * kKiB), 0u);
  EXPECT_EQ(fetched(64 * kKiB, 16 * kKiB), 64u);
  EXPECT_EQ(fetched(80 * kKiB, 48 * kKiB), 0u);
  EXPECT_EQ(fetched(128 * kKiB, 16 * kKiB), 64u);
}

TEST_F(WindowsPageCacheTest, longer_reads_have_it_read_further_on) {
  for (const uint64_t i : {0, 1}) fetched(i * kMiB, kMiB);
  EXPECT_EQ(fetched(2 * kMiB, kMiB), 2048u);
  EXPECT_EQ(fetched(3 * kMiB, kMiB), 1024u);
}

TEST_F(WindowsPageCacheTest, strides_forward_and_backward_are_seen_at_the_third_read) {
  EXPECT_EQ(fetched(10 * kMiB, 8 * kKiB), 8u);
  EXPECT_EQ(fetched(11 * kMiB, 8 * kKiB), 8u);
  EXPECT_EQ(fetched(12 * kMiB, 8 * kKiB), 16u);  // also reads the granule at 13 MiB
  EXPECT_EQ(fetched(13 * kMiB, 8 * kKiB), 8u);   // also reads the granule at 14 MiB
  EXPECT_EQ(fetched(11 * kMiB + 64 * kKiB, 4 * kKiB), 4u);
  EXPECT_EQ(fetched(10 * kMiB + 64 * kKiB, 4 * kKiB), 4u);
  EXPECT_EQ(fetched(9 * kMiB + 64 * kKiB, 4 * kKiB), 8u);
  EXPECT_EQ(fetched(8 * kMiB + 64 * kKiB, 4 * kKiB), 4u);
}

TEST_F(WindowsPageCacheTest, stride_does_not_lead_before_the_start_or_behind_the_end) {
  for (const uint64_t offset : {30 * kMiB, 20 * kMiB, 10 * kMiB}) fetched(offset, 4 * kKiB);
  EXPECT_EQ(fetched(0, 4 * kKiB), 0u) << "read ahead: 30, 20, 10, 0";
  for (const uint64_t offset : {95 * kMiB, 97 * kMiB}) fetched(offset, 4 * kKiB);
  EXPECT_EQ(fetched(99 * kMiB, 4 * kKiB), 4u);
  for (const uint64_t offset : {25 * kMiB, 15 * kMiB}) fetched(offset, 4 * kKiB);
  EXPECT_EQ(fetched(5 * kMiB, 4 * kKiB), 4u);
}

TEST_F(WindowsPageCacheTest, reads_of_less_than_256_bytes_have_nothing_read_ahead) {
  for (uint64_t offset = 0; offset < 4096; offset += 128) EXPECT_LE(fetched(offset, 128), 4u);
  EXPECT_EQ(fetched(4096, 128), 4u);
}

TEST_F(WindowsPageCacheTest, random_reads_fetch_just_their_pages) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    drive.reset_counters();
    windows.read(at, random() % (99 * kMiB), 100);
    EXPECT_LE(drive.counters().bytes, 8 * kKiB);
  }
}

TEST_F(WindowsPageCacheTest, fault_in_a_mapping_brings_32_kib_from_there_on) {
  const auto cluster = windows.faults(at, kMiB + 100, 1);
  ASSERT_EQ(cluster.size(), 1u);
  EXPECT_EQ(cluster[0].position_bytes, kMiB);
  EXPECT_EQ(cluster[0].length_bytes, 32 * kKiB);
}

TEST(ReadAheadStyles, are_read_and_written) {
  EXPECT_EQ(parse_read_ahead("none").value(), kNoReadAhead);
  EXPECT_EQ(parse_read_ahead("linux").value(), ReadAhead{});
  EXPECT_EQ(parse_read_ahead("windows").value(), kWindowsReadAhead);
  EXPECT_EQ(parse_read_ahead("linux:512Ki").value().max_bytes, 512 * kKiB);
  for (const char* text : {"none", "windows", "linux:128Ki", "linux:4Ki", "linux:65536Ki"})
    EXPECT_EQ(to_string(parse_read_ahead(text).value()), text);
}

TEST(ReadAheadStyles, that_are_none_are_refused) {
  for (const char* text : {"", "linux:", "linux:0", "linux:128K", "linux:5000", "linux:65Mi",
                           "linux:18446744073709551616", "Linux", "windows:64Ki", "macos"}) {
    const auto refused = parse_read_ahead(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().message.find(std::string("'") + text), std::string::npos);
  }
}

TEST(Sizes, are_numbers_with_decimal_and_binary_units) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("600G"), 600'000'000'000u);
  EXPECT_EQ(parse_size("600GB"), 600'000'000'000u);
  EXPECT_EQ(parse_size("600gib"), 600 * kMiB * 1024);
  EXPECT_EQ(parse_size("1Ti"), kMiB * kMiB);
  EXPECT_EQ(parse_size("12k"), 12'000u);
  EXPECT_EQ(parse_size("7B"), 7u);
  EXPECT_EQ(parse_size("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_size("18446744T"), 18'446'744'000'000'000'000u);
}

TEST(Sizes, that_are_none_are_refused) {
  for (const char* text : {"", "G", "-1", "+1", "1.5G", " 1", "1 G", "1X", "1Gx", "1GiBs", "1KK",
                           "18446744073709551616", "18446745T", "16777216Ti", "0x10", "1Bi"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST_F(PageCacheTest, none_fetches_just_the_pages_even_in_sequence) {
  PageCache plain(drive, kNoReadAhead);
  CachedFile at = plain.open(plain.add_file(0, 100 * kMiB).value());
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
  for (const char* style : {"none", "windows", "linux:4Ki", "linux:8Ki", "linux:64Ki",
                            "linux:128Ki", "linux:1Mi", "linux:64Mi"}) {
    PageCache of(drive, parse_read_ahead(style).value());
    const uint32_t file = of.add_file(1'000'000, kSize).value();
    CachedFile at = of.open(file);
    drive.reset_counters();
    for (int i = 0; i < 3000; ++i) {
      if (random() % 50 == 0) at = of.open(file);
      of.read(at, random() % kSize, random() % (64 * kKiB));
    }
    of.read(at, 0, kSize);
    EXPECT_EQ(drive.counters().bytes, kSize) << style;
  }
}

}  // namespace
}  // namespace seekless
