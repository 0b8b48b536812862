#include "packer/serve/foresight.h"

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr auto kFetchPatience = std::chrono::seconds(60);
// Fetching a small file takes far less; a slower machine can only miss what shouldn't come.
constexpr auto kLongEnoughToFetch = std::chrono::milliseconds(300);

// One start is known: it has looked up ten nested folders, and read nine files in the deepest.
class ForesightTest : public testing::Test {
 protected:
  static constexpr int kFolders = 10;
  static constexpr uint32_t kFiles = 9;

  ForesightTest() {
    LearnedScenario start = {.name = "start", .runs = 1, .is_start = true, .pages = {}};
    learned_.names.push_back({"/"});
    for (int folder = 0; folder < kFolders; ++folder) {
      deepest_ += (folder == 0 ? "" : "/") + std::string("d");
      folders_.push_back(deepest_);
      learned_.names.push_back({deepest_});
      learned_.names.push_back({deepest_ + "/"});
    }
    for (uint32_t file = 0; file < kFiles; ++file) {
      folder_.write(file_path(file), std::string(kSeenPageBytes, 'x'));
      learned_.files.push_back(file_path(file));
      learned_.names.push_back({file_path(file)});
      start.pages.push_back({.page = page_key(file, 0), .runs = 1});
    }
    for (uint32_t name = 0; name < learned_.names.size(); ++name)
      start.names.push_back({.page = name, .runs = 1});
    learned_.scenarios.push_back(std::move(start));
  }
  std::string file_path(uint32_t file) const { return deepest_ + "/f" + std::to_string(file); }
  ForeseeOptions options() {
    ForeseeOptions options = {.folder = folder_.path(),
                              .most_bytes = uint64_t{1} << 30,
                              .sees_use_of_fetched = false,
                              .waits_for_known_start = true};
    options.manners.fetches = [this](const FetchChunk&) { has_fetched_ = true; };
    return options;
  }
  bool fetches_within(Foresight::Clock::duration time) const {
    const auto until = Foresight::Clock::now() + time;
    while (!has_fetched_ && Foresight::Clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return has_fetched_;
  }

  TestFolder folder_;
  std::string deepest_;
  std::vector<std::string> folders_;
  Learned learned_;
  std::atomic<bool> has_fetched_ = false;
};

TEST_F(ForesightTest, knows_a_start_by_its_files) {
  Foresight foresight(learned_, options());
  foresight.begin();
  for (const std::string& folder : folders_) foresight.looks_up(folder);
  for (uint32_t file = 0; file < kFiles; ++file) foresight.looks_up(file_path(file));
  EXPECT_TRUE(fetches_within(kFetchPatience));
}

TEST_F(ForesightTest, does_not_know_a_start_by_the_folders_above_another_file) {
  Foresight foresight(learned_, options());
  foresight.begin();
  for (const std::string& folder : folders_) foresight.looks_up(folder);
  foresight.looks_up(deepest_ + "/other");
  EXPECT_FALSE(fetches_within(kLongEnoughToFetch));
  EXPECT_TRUE(foresight.is_at_work());
}

TEST_F(ForesightTest, is_not_at_work_for_long_while_the_start_is_unknown) {
  Foresight foresight(learned_, options());
  foresight.begin();
  EXPECT_TRUE(foresight.is_at_work());
  EXPECT_FALSE(foresight.is_at_work(Foresight::Clock::now() + std::chrono::seconds(61)));
}

TEST_F(ForesightTest, drops_what_is_noted_after_its_end) {
  const uint32_t known = 3;
  Foresight foresight(learned_, options());
  foresight.finish();
  foresight.looks_up("late");
  const uint32_t late = foresight.number_of("late");
  EXPECT_GE(late, kFiles);
  EXPECT_EQ(foresight.number_of(file_path(known)), known);
  const std::vector<PageKey> pages = {page_key(late, 0)};
  foresight.reads(pages);
  foresight.has_waited(5);
  EXPECT_EQ(foresight.figures().reads, 0U);
  EXPECT_EQ(foresight.figures().longest_wait_s, 0);
}

TEST_F(ForesightTest, a_read_begins_anew_behind_pages_that_an_earlier_one_brought) {
  constexpr uint64_t kPages = 400;
  folder_.write("big", std::string(kPages * kSeenPageBytes, 'x'));
  Foresight foresight({}, options());
  const uint32_t file = foresight.number_of("big");
  const std::vector<PageKey> middle = {page_key(file, 3)};
  foresight.reads(middle);
  std::vector<PageKey> all;
  for (uint64_t page = 0; page < kPages; ++page) all.push_back(page_key(file, page));
  foresight.reads(all);
  const Learned learned = foresight.finish();
  ASSERT_EQ(learned.scenarios.size(), 1U);
  std::vector<uint64_t> begins;
  for (const SeenPage& seen : learned.scenarios[0].pages)
    if (seen.begins_read) begins.push_back(number_of_page(seen.page));
  EXPECT_EQ(begins, (std::vector<uint64_t>{3, 0, 4}));
}

}  // namespace
}  // namespace seekless
