#include "runtime/decoded_frames.h"

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

Buffer frame_of(BlockPool& pool, char content) {
  Buffer buffer(pool.acquire(kDecodedBytes));
  std::memset(buffer->bytes().data(), content, kDecodedBytes);
  return buffer;
}

// Returns the first byte of a frame, if the frame is there.
std::optional<char> first_byte(DecodedFrames& decoded, uint32_t frame, uint64_t raw_bytes = 1) {
  const Buffer found = decoded.find(kPack, frame, raw_bytes);
  if (found == nullptr) return std::nullopt;
  return static_cast<char>(found->bytes()[0]);
}

TEST(DecodedFrames, a_frame_is_there_until_others_were_wanted_later) {
  BlockPool pool(8 * kDecodedBytes);  // a quarter of it holds two frames
  DecodedFrames decoded(pool, Memory());
  decoded.keep(kPack, 0, kDecodedBytes, frame_of(pool, 'a'));
  decoded.keep(kPack, 1, kDecodedBytes, frame_of(pool, 'b'));
  EXPECT_EQ(first_byte(decoded, 0), 'a');
  decoded.keep(kPack, 2, kDecodedBytes, frame_of(pool, 'c'));
  EXPECT_EQ(first_byte(decoded, 1), std::nullopt);
  EXPECT_EQ(first_byte(decoded, 0), 'a');
  EXPECT_EQ(first_byte(decoded, 2), 'c');
}

TEST(DecodedFrames, a_frame_of_another_pack_is_another_one) {
  BlockPool pool(8 * kDecodedBytes);
  DecodedFrames decoded(pool, Memory());
  decoded.keep(kPack + 1, 0, kDecodedBytes, frame_of(pool, 'a'));
  EXPECT_EQ(first_byte(decoded, 0), std::nullopt);
}

TEST(DecodedFrames, what_is_decoded_in_part_is_found_for_no_more_than_that) {
  BlockPool pool(8 * kDecodedBytes);
  DecodedFrames decoded(pool, Memory());
  decoded.keep(kPack, 0, 100, frame_of(pool, 'a'));
  EXPECT_EQ(first_byte(decoded, 0, 100), 'a');
  EXPECT_EQ(decoded.find(kPack, 0, 101), nullptr);
  EXPECT_TRUE(decoded.has(kPack, 0));
  EXPECT_FALSE(decoded.has(kPack, 1));
  decoded.keep(kPack, 0, kDecodedBytes, frame_of(pool, 'b'));
  EXPECT_EQ(first_byte(decoded, 0, kDecodedBytes), 'b');
}

TEST(DecodedFrames, as_many_are_kept_as_a_quarter_of_the_budget_holds) {
  constexpr uint32_t kFrames = 100;
  BlockPool pool(4 * kFrames * kDecodedBytes);
  DecodedFrames decoded(pool, Memory());
  for (uint32_t frame = 0; frame < kFrames + 3; ++frame)
    decoded.keep(kPack, frame, kDecodedBytes, frame_of(pool, 'a'));
  uint32_t kept = 0;
  for (uint32_t frame = 0; frame < kFrames + 3; ++frame)
    if (decoded.has(kPack, frame)) ++kept;
  EXPECT_EQ(kept, kFrames);
  EXPECT_FALSE(decoded.has(kPack, 2));
}

TEST(DecodedFrames, a_shorter_part_does_not_replace_a_longer_one) {
  BlockPool pool(8 * kDecodedBytes);
  DecodedFrames decoded(pool, Memory());
  decoded.keep(kPack, 0, kDecodedBytes, frame_of(pool, 'a'));
  decoded.keep(kPack, 0, 100, frame_of(pool, 'b'));
  EXPECT_EQ(first_byte(decoded, 0, kDecodedBytes), 'a');
}

TEST(DecodedFrames, whoever_needs_the_memory_gets_it) {
  BlockPool pool(4 * kDecodedBytes);
  DecodedFrames decoded(pool, Memory());
  decoded.keep(kPack, 0, kDecodedBytes, frame_of(pool, 'a'));
  const Buffer all[] = {Buffer(pool.acquire(kDecodedBytes)), Buffer(pool.acquire(kDecodedBytes)),
                        Buffer(pool.acquire(kDecodedBytes))};
  EXPECT_EQ(pool.acquire(kDecodedBytes), nullptr);
  const Buffer urgent(pool.acquire_urgently(kDecodedBytes, nullptr));
  EXPECT_NE(urgent, nullptr);
  EXPECT_EQ(first_byte(decoded, 0), std::nullopt);
}

TEST(DecodedFrames, a_frame_in_use_stays_whole_when_it_is_given_up) {
  BlockPool pool(4 * kDecodedBytes);
  DecodedFrames decoded(pool, Memory());
  decoded.keep(kPack, 0, kDecodedBytes, frame_of(pool, 'a'));
  const Buffer held = decoded.find(kPack, 0, kDecodedBytes);
  for (uint32_t frame = 1; frame < 4; ++frame)
    decoded.keep(kPack, frame, kDecodedBytes, frame_of(pool, 'b'));
  EXPECT_EQ(static_cast<char>(held->bytes()[kDecodedBytes - 1]), 'a');
}

}  // namespace
}  // namespace seekless::runtime
