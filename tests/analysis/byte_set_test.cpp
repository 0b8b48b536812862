#include "packer/analysis/internal/byte_set.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(ByteSet, counts_each_byte_once) {
  ByteSet set;
  EXPECT_EQ(set.add(10, 10), 10U);
  EXPECT_EQ(set.add(10, 10), 0U);
  EXPECT_EQ(set.add(5, 10), 5U);
  EXPECT_EQ(set.add(0, 100), 85U);
  EXPECT_EQ(set.size_bytes(), 100U);
}

TEST(ByteSet, joins_pieces_that_touch) {
  ByteSet set;
  set.add(0, 10);
  set.add(20, 10);
  set.add(40, 10);
  EXPECT_EQ(set.pieces(), 3U);
  EXPECT_EQ(set.add(10, 10), 10U);
  EXPECT_EQ(set.pieces(), 2U);
  EXPECT_EQ(set.add(0, 60), 20U);
  EXPECT_EQ(set.pieces(), 1U);
}

TEST(ByteSet, of_reads_in_order_is_one_piece) {
  ByteSet set;
  for (uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(set.add(i * 7, 7), 7U);
  EXPECT_EQ(set.pieces(), 1U);
}

TEST(ByteSet, takes_nothing_and_the_farthest_places) {
  ByteSet set;
  EXPECT_EQ(set.add(5, 0), 0U);
  EXPECT_EQ(set.pieces(), 0U);
  EXPECT_EQ(set.add((uint64_t{1} << 53) - 1, 1), 1U);
  EXPECT_EQ(set.add(0, uint64_t{1} << 53), (uint64_t{1} << 53) - 1);
}

TEST(ByteSet, agrees_with_a_bitmap_on_random_ranges) {
  std::mt19937 random(7);
  ByteSet set;
  std::vector<bool> bytes(400, false);
  for (int round = 0; round < 500; ++round) {
    const uint64_t offset = random() % 380;
    const uint64_t length = random() % 20;
    uint64_t added = 0;
    for (uint64_t i = offset; i < offset + length; ++i) {
      added += bytes[i] ? 0 : 1;
      bytes[i] = true;
    }
    ASSERT_EQ(set.add(offset, length), added) << "round " << round;
    if (round % 60 == 59) {
      ASSERT_LE(set.pieces(), 200U);
    }
  }
}

}  // namespace
}  // namespace seekless
