#include "packer/foresee/fetch_order.h"

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;

constexpr uint64_t kLongBytes = uint64_t{1} << 20;

// Makes chunks of one MiB each, 10 MiB apart; `files` holds the file of each chunk.
std::vector<FetchChunk> chunks_of(const std::vector<uint32_t>& files) {
  std::vector<FetchChunk> chunks;
  for (const uint32_t file : files)
    chunks.push_back({file, chunks.size() * 10 * kLongBytes, kLongBytes, 0});
  return chunks;
}

std::vector<uint32_t> rest(FetchOrder& order) {
  std::vector<uint32_t> taken;
  while (const auto chunk = order.next()) {
    taken.push_back(*chunk);
    order.done(*chunk);
  }
  return taken;
}

TEST(FetchOrder, is_the_plan_s_if_nobody_waits) {
  const auto chunks = chunks_of({0, 0, 1, 2});
  FetchOrder order(chunks);
  EXPECT_EQ(order.next(), 0u);
  EXPECT_THAT(order.next_few(3), ElementsAre(0, 1, 2));
  EXPECT_THAT(order.next_few(9), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(rest(order), ElementsAre(0, 1, 2, 3));
  FetchOrder of_nothing(std::span<const FetchChunk>{});
  EXPECT_EQ(of_nothing.next(), std::nullopt);
  EXPECT_THAT(of_nothing.next_few(3), ElementsAre());
}

TEST(FetchOrder, what_is_hurried_comes_next_with_the_few_others_of_its_file) {
  const auto chunks = chunks_of({0, 0, 0, 0, 0, 0, 1, 1, 1, 2});
  FetchOrder order(chunks);
  order.done(0);
  order.hurry(8);
  EXPECT_THAT(order.next_few(4), ElementsAre(8, 6, 7, 1));
  EXPECT_THAT(rest(order), ElementsAre(8, 6, 7, 1, 2, 3, 4, 5, 9));
}

TEST(FetchOrder, much_of_a_file_waits_for_its_turn) {
  const auto chunks = chunks_of({0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  FetchOrder order(chunks);
  order.hurry(10);
  EXPECT_THAT(rest(order), ElementsAre(10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(FetchOrder, what_comes_soon_is_not_hurried) {
  const auto chunks = chunks_of({0, 0, 1, 2, 3, 4});
  FetchOrder order(chunks);
  order.hurry(2);  // two chunks away, and so two seeks
  EXPECT_EQ(order.next(), 0u);
  order.hurry(3);
  EXPECT_THAT(rest(order), ElementsAre(3, 0, 1, 2, 4, 5));
}

TEST(FetchOrder, what_comes_soon_behind_what_is_taken_along_is_not_hurried) {
  const auto chunks = chunks_of({0, 0, 0, 1, 1, 2, 3, 4});
  FetchOrder order(chunks);
  order.hurry(4);
  order.done(4);
  order.hurry(0);  // behind one chunk of the same file
  order.hurry(1);
  EXPECT_EQ(order.next(), 3u);
  order.hurry(5);
  EXPECT_EQ(order.next(), 5u);
}

TEST(FetchOrder, goes_on_right_behind_what_was_hurried) {
  const auto chunks = chunks_of({0, 1, 2, 3, 4, 5, 5});
  FetchOrder order(chunks);
  EXPECT_FALSE(order.goes_on(0));
  order.hurry(5);
  EXPECT_FALSE(order.goes_on(6));
  order.done(5);
  EXPECT_TRUE(order.goes_on(6));
  EXPECT_FALSE(order.goes_on(5));
  order.hurry(5);  // this chunk is done
  EXPECT_THAT(rest(order), ElementsAre(6, 0, 1, 2, 3, 4));
}

}  // namespace
}  // namespace seekless
