#include "packer/foresee/last_reads.h"

#include <gmock/gmock.h>

#include "packer/foresee/bounded.h"

namespace seekless {
namespace {

using testing::ElementsAre;

std::vector<PageKey> in_file(uint32_t file, uint64_t first, uint64_t count) {
  std::vector<PageKey> keys;
  for (uint64_t page = first; page < first + count; ++page) keys.push_back(page_key(file, page));
  return keys;
}

LearnedRun run_of(uint64_t count) {
  return {.is_start = true, .pages = in_file(0, 0, count), .read_begins = {page_key(0, 0)}};
}

// The second run ends its only read 20 pages before the first one did.
Learned shrunk() {
  Learned learned;
  learned.files = {"f"};
  learn(learned, run_of(100));
  learn(learned, run_of(80));
  return learned;
}

TEST(LastReads, end_where_the_last_run_ended_them) {
  const Learned learned = shrunk();
  ASSERT_EQ(learned.scenarios[0].pages.size(), 100U);
  EXPECT_THAT(last_reads(learned.scenarios[0]), ElementsAre(LearnedRead{page_key(0, 0), 80}));
  const auto back = parse_learned(to_text(learned), "f");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->scenarios, learned.scenarios);
}

TEST(LastReads, still_end_there_once_a_file_is_gone) {
  Learned learned;
  learned.files = {"gone", "f"};
  for (const uint64_t count : {100, 80}) {
    LearnedRun run = {.is_start = true, .pages = in_file(0, 0, 10)};
    for (const PageKey page : in_file(1, 0, count)) run.pages.push_back(page);
    run.read_begins = {page_key(0, 0), page_key(1, 0)};
    learn(learned, run);
  }
  drop_unread(learned, [](const std::string& file) { return file == "f"; });
  EXPECT_THAT(last_reads(learned.scenarios[0]), ElementsAre(LearnedRead{page_key(0, 0), 80}));
}

TEST(LastReads, are_joined_of_likely_pages_where_they_are_unknown) {
  Learned learned;
  learned.files = {"f", "g"};
  learn(learned, {.is_start = true, .pages = in_file(0, 0, 10)});
  for (int i = 0; i < 2; ++i) learn(learned, {.is_start = true, .pages = in_file(0, 0, 8)});
  EXPECT_THAT(last_reads(learned.scenarios[0]), ElementsAre(LearnedRead{page_key(0, 0), 8}));
}

}  // namespace
}  // namespace seekless
