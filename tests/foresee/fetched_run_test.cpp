#include "packer/foresee/fetched_run.h"

#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

std::vector<PageKey> pages(uint32_t file, uint64_t first, uint64_t count) {
  std::vector<PageKey> keys;
  for (uint64_t page = first; page < first + count; ++page) keys.push_back(page_key(file, page));
  return keys;
}

// One start, of which 100 pages and a name are known.
Learned known_start() {
  Learned learned;
  learned.files = {"a", "b"};
  learned.names = {{"a"}};
  LearnedRun run = {.is_start = true, .pages = pages(0, 0, 100), .names = {0}};
  run.read_begins = {page_key(0, 0), page_key(0, 50)};
  learn(learned, run);
  return learned;
}

constexpr uint32_t kOfStart[] = {kCore};

TEST(FetchedRun, counts_what_was_fetched_as_read) {
  LearnedRun run = {.is_start = true, .pages = pages(0, 20, 10)};
  add_fetched(known_start(), kOfStart, run);
  EXPECT_EQ(run.pages.size(), 100U);
  EXPECT_EQ(run.pages.front(), page_key(0, 20));
  EXPECT_EQ(run.names, std::vector<uint64_t>{0});
  EXPECT_TRUE(run.read_begins.contains(page_key(0, 50)));
}

// The second run reads no page of the second file, so that none is known to begin a read.
TEST(FetchedRun, begins_a_read_at_each_page_that_follows_none) {
  Learned learned;
  learned.files = {"a", "b"};
  LearnedRun run = {.is_start = true, .pages = pages(0, 0, 100), .read_begins = {page_key(0, 0)}};
  run.pages.push_back(page_key(1, 7));
  run.pages.push_back(page_key(1, 8));
  run.read_begins.insert(page_key(1, 7));
  learn(learned, run);
  run.pages.resize(100);
  learn(learned, run);
  LearnedRun third = {
      .is_start = true, .pages = pages(0, 20, 10), .read_begins = {page_key(0, 20)}};
  add_fetched(learned, kOfStart, third);
  EXPECT_TRUE(third.read_begins.contains(page_key(1, 7)));
  EXPECT_FALSE(third.read_begins.contains(page_key(1, 8)));
  EXPECT_TRUE(third.read_begins.contains(page_key(0, 30)));
}

TEST(FetchedRun, counts_nothing_if_the_game_read_much_else) {
  LearnedRun run = {.is_start = true, .pages = pages(1, 0, 51)};
  add_fetched(known_start(), kOfStart, run);
  EXPECT_EQ(run.pages, pages(1, 0, 51));
  EXPECT_TRUE(run.names.empty());
}

TEST(FetchedRun, counts_nothing_where_nothing_was_fetched) {
  LearnedRun run = {.is_start = true, .pages = pages(1, 0, 5)};
  add_fetched(known_start(), {}, run);
  EXPECT_EQ(run.pages, pages(1, 0, 5));
}

}  // namespace
}  // namespace seekless
