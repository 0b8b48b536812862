#include "packer/foresee/read_around.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kKib = 1024;
constexpr uint64_t kMegabytes = 1024 * kKib;
constexpr uint64_t kWindow = 512 * kKib;
constexpr uint64_t kFile = 3000 * kMegabytes;

WantedRange page_at(uint64_t offset_bytes, uint32_t file = 0) {
  return {file, offset_bytes, kPage};
}

// Returns an object for which windows have already paid.
ReadAround proven() {
  ReadAround around(kWindow);
  for (uint64_t place = 1; place <= 20; ++place) {
    const WantedRange first = page_at(place * 5 * kMegabytes, 7);
    if (around.jumps(first)) static_cast<void>(around.window_around(first, kFile));
    static_cast<void>(around.jumps(page_at(place * 5 * kMegabytes - 200 * kKib, 7)));
  }
  return around;
}

// Reads pages that aren't in memory, `apart` from each other. Returns how many windows are fetched.
int windows_of(ReadAround& around, int reads, uint64_t apart) {
  int windows = 0;
  for (int i = 0; i < reads; ++i) {
    const WantedRange read = page_at((static_cast<uint64_t>(i) + 1) * apart);
    if (around.jumps(read) && around.window_around(read, kFile)) ++windows;
  }
  return windows;
}

TEST(ReadAround, half_a_window_on_either_side) {
  ReadAround around = proven();
  const uint64_t before = around.fetched_bytes();
  ASSERT_TRUE(around.jumps(page_at(10 * kMegabytes)));
  EXPECT_EQ(around.window_around(page_at(10 * kMegabytes), kFile),
            (WantedRange{0, 10 * kMegabytes - kWindow / 2, kWindow}));
  EXPECT_EQ(around.fetched_bytes() - before, kWindow);
}

TEST(ReadAround, a_file_s_ends_are_the_window_s) {
  ReadAround around = proven();
  EXPECT_EQ(around.window_around(page_at(kPage), kFile), (WantedRange{0, 0, kPage + kWindow / 2}));
  EXPECT_EQ(around.window_around(page_at(kMegabytes), kMegabytes + 100),
            (WantedRange{0, kMegabytes - kWindow / 2, kWindow / 2 + kPage}));
}

TEST(ReadAround, what_is_read_on_isnt_jumped_to) {
  ReadAround around(kWindow);
  EXPECT_TRUE(around.jumps(page_at(10 * kMegabytes)));
  EXPECT_FALSE(around.jumps(page_at(10 * kMegabytes + kPage)));
  EXPECT_FALSE(around.jumps(page_at(10 * kMegabytes + 100 * kKib)));
  EXPECT_TRUE(around.jumps(page_at(10 * kMegabytes)));
  EXPECT_TRUE(around.jumps(page_at(10 * kMegabytes + 4 * kPage, 1)));  // another file
}

TEST(ReadAround, reads_that_have_nothing_to_do_with_each_other_cost_a_seek) {
  ReadAround around(kWindow);
  EXPECT_GE(windows_of(around, 2000, 20 * kMegabytes), 4);
  EXPECT_LT(around.fetched_bytes(), 2 * kMegabytes);
}

TEST(ReadAround, windows_that_no_longer_pay_cost_six_seeks) {
  ReadAround around = proven();
  const uint64_t before = around.fetched_bytes();
  // A megabyte takes as long as a seek, and of four blocks the game reads one anyway.
  windows_of(around, 2000, 20 * kMegabytes);
  EXPECT_GT(around.fetched_bytes() - before, 2 * kMegabytes);
  EXPECT_LT(around.fetched_bytes() - before, 9 * kMegabytes);
}

TEST(ReadAround, brings_what_linux_would_read_around_a_mapped_page) {
  ReadAround around(kWindow);
  for (uint64_t place = 1; place < 10; ++place) {
    const WantedRange first = page_at(place * 20 * kMegabytes);
    ASSERT_TRUE(around.jumps(first));
    ASSERT_TRUE(around.window_around(first, kFile)) << place;
    EXPECT_FALSE(around.jumps(page_at(place * 20 * kMegabytes - 40 * kKib)));
  }
}

TEST(ReadAround, a_game_that_begins_to_jump_nearby_is_helped_again) {
  ReadAround around(kWindow);
  windows_of(around, 1000, 20 * kMegabytes);
  int windows = 0;
  for (uint64_t place = 1; place < 100; ++place) {
    const WantedRange first = page_at(place * 5 * kMegabytes, 3);
    if (around.jumps(first) && around.window_around(first, kFile)) ++windows;
    static_cast<void>(around.jumps(page_at(place * 5 * kMegabytes - 200 * kKib, 3)));
  }
  EXPECT_GT(windows, 70);
}

TEST(ReadAround, goes_on_while_what_it_brings_is_jumped_to) {
  ReadAround around = proven();
  for (uint64_t place = 1; place < 500; ++place) {
    const WantedRange first = page_at(place * 5 * kMegabytes);
    ASSERT_TRUE(around.jumps(first));
    ASSERT_TRUE(around.window_around(first, kFile)) << place;
    EXPECT_FALSE(around.jumps(page_at(place * 5 * kMegabytes - 200 * kKib)));
  }
}

TEST(ReadAround, reading_a_window_on_from_its_middle_saves_no_seek) {
  ReadAround around = proven();
  int windows = 0;
  for (uint64_t place = 1; place < 100; ++place) {
    for (uint64_t at = 0; at < kWindow / 2; at += kPage) {
      const WantedRange read = page_at(place * 20 * kMegabytes + at);
      if (around.jumps(read) && around.window_around(read, kFile)) ++windows;
    }
  }
  // The first half of each window is read in vain.
  EXPECT_LT(static_cast<uint64_t>(windows) * kWindow / 2, 9 * kMegabytes);
}

TEST(ReadAround, without_a_window_nothing_jumps) {
  ReadAround around(0);
  EXPECT_FALSE(around.jumps(page_at(10 * kMegabytes)));
}

}  // namespace
}  // namespace seekless
