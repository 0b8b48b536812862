#include "runtime/decoded_blocks.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace seekless::runtime {
namespace {

constexpr size_t kDecodedBytes = 65536;
constexpr uint64_t kPack = 7;

Buffer block_of(BlockPool& pool, char content) {
  Buffer buffer(pool.acquire(kDecodedBytes));
  std::memset(buffer->bytes().data(), content, kDecodedBytes);
  return buffer;
}

// Returns the first byte of a block, if the block is there.
std::optional<char> first_byte(DecodedBlocks& decoded, uint32_t block, uint64_t raw_bytes = 1) {
  bool was_short = false;
  const Buffer found = decoded.find(kPack, block, raw_bytes, was_short);
  if (found == nullptr) return std::nullopt;
  return static_cast<char>(found->bytes()[0]);
}

TEST(DecodedBlocks, a_block_is_there_until_others_were_wanted_later) {
  BlockPool pool(8 * kDecodedBytes);  // a quarter of it holds two blocks
  DecodedBlocks decoded(pool);
  decoded.keep(kPack, 0, kDecodedBytes, block_of(pool, 'a'));
  decoded.keep(kPack, 1, kDecodedBytes, block_of(pool, 'b'));
  EXPECT_EQ(first_byte(decoded, 0), 'a');
  decoded.keep(kPack, 2, kDecodedBytes, block_of(pool, 'c'));
  EXPECT_EQ(first_byte(decoded, 1), std::nullopt);
  EXPECT_EQ(first_byte(decoded, 0), 'a');
  EXPECT_EQ(first_byte(decoded, 2), 'c');
}

TEST(DecodedBlocks, a_block_of_another_pack_is_another_one) {
  BlockPool pool(8 * kDecodedBytes);
  DecodedBlocks decoded(pool);
  decoded.keep(kPack + 1, 0, kDecodedBytes, block_of(pool, 'a'));
  EXPECT_EQ(first_byte(decoded, 0), std::nullopt);
}

TEST(DecodedBlocks, what_is_decoded_in_part_is_found_for_no_more_than_that) {
  BlockPool pool(8 * kDecodedBytes);
  DecodedBlocks decoded(pool);
  decoded.keep(kPack, 0, 100, block_of(pool, 'a'));
  EXPECT_EQ(first_byte(decoded, 0, 100), 'a');
  bool was_short = false;
  EXPECT_EQ(decoded.find(kPack, 0, 101, was_short), nullptr);
  EXPECT_TRUE(was_short);
  decoded.keep(kPack, 0, kDecodedBytes, block_of(pool, 'b'));
  EXPECT_EQ(first_byte(decoded, 0, kDecodedBytes), 'b');
}

TEST(DecodedBlocks, whoever_needs_the_memory_gets_it) {
  BlockPool pool(4 * kDecodedBytes);
  DecodedBlocks decoded(pool);
  decoded.keep(kPack, 0, kDecodedBytes, block_of(pool, 'a'));
  const Buffer all[] = {Buffer(pool.acquire(kDecodedBytes)), Buffer(pool.acquire(kDecodedBytes)),
                        Buffer(pool.acquire(kDecodedBytes))};
  EXPECT_EQ(pool.acquire(kDecodedBytes), nullptr);
  const Buffer urgent(pool.acquire_urgently(kDecodedBytes, nullptr));
  EXPECT_NE(urgent, nullptr);
  EXPECT_EQ(first_byte(decoded, 0), std::nullopt);
}

TEST(DecodedBlocks, a_block_in_use_stays_whole_when_it_is_given_up) {
  BlockPool pool(4 * kDecodedBytes);
  DecodedBlocks decoded(pool);
  decoded.keep(kPack, 0, kDecodedBytes, block_of(pool, 'a'));
  bool was_short = false;
  const Buffer held = decoded.find(kPack, 0, kDecodedBytes, was_short);
  for (uint32_t block = 1; block < 4; ++block)
    decoded.keep(kPack, block, kDecodedBytes, block_of(pool, 'b'));
  EXPECT_EQ(static_cast<char>(held->bytes()[kDecodedBytes - 1]), 'a');
}

}  // namespace
}  // namespace seekless::runtime
