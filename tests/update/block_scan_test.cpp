#include "packer/update/internal/block_scan.h"

#include <gtest/gtest.h>

#include "packer/update/clients.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

MemorySource source(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {"made", {bytes.begin(), bytes.end()}};
}

uint64_t matched(const std::string& old, const std::string& now) {
  const auto found = matched_block_bytes(source(old), source(now));
  EXPECT_TRUE(found);
  return found.value_or(0);
}

constexpr size_t kSize = 9'000'000;  // blocks of 3,000 bytes

TEST(BlockScan, finds_all_blocks_of_the_same_file) {
  const std::string text = noise(kSize, 1);
  EXPECT_EQ(matched(text, text), kSize);
}

TEST(BlockScan, finds_blocks_that_moved_by_any_number_of_bytes) {
  const std::string text = noise(kSize, 1);
  EXPECT_EQ(matched(text, "inserted" + text), kSize);
  EXPECT_EQ(matched(text, text.substr(1)), kSize - 3000);
}

TEST(BlockScan, loses_the_blocks_that_an_edit_touches) {
  const std::string text = noise(kSize, 1);
  std::string now = text;
  now.replace(4'500'000, 10, "0123456789");  // at the start of a block
  EXPECT_EQ(matched(text, now), kSize - 3000);
  now.replace(6'001'500, 3000, noise(3000, 2));
  EXPECT_EQ(matched(text, now), kSize - 3 * 3000);
}

TEST(BlockScan, finds_nothing_in_other_content_or_in_none) {
  EXPECT_EQ(matched(noise(kSize, 1), noise(kSize, 2)), 0U);
  EXPECT_EQ(matched(noise(kSize, 1), ""), 0U);
  EXPECT_EQ(matched("", noise(1000, 1)), 0U);
  EXPECT_EQ(matched("short", "short"), 0U);
}

TEST(BlockScan, finds_rows_of_zeros) {
  EXPECT_EQ(matched(std::string(kSize, '\0'), std::string(2 * kSize, '\0')), 2 * kSize);
}

}  // namespace
}  // namespace seekless
