#include "packer/foresee/bounded.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<SeenPage> pages_of_file(uint32_t file, uint64_t count) {
  std::vector<SeenPage> pages;
  for (uint64_t i = 0; i < count; ++i) pages.push_back({page_key(file, i), 1});
  return pages;
}

LearnedScenario scenario(const std::string& name, uint32_t runs, std::vector<SeenPage> pages) {
  return {.name = name, .runs = runs, .pages = std::move(pages)};
}

std::vector<std::string> names_of(const Learned& learned) {
  std::vector<std::string> names;
  for (const LearnedScenario& each : learned.scenarios) names.push_back(each.name);
  return names;
}

bool is_anywhere(const std::string&) {
  return true;
}

TEST(Bounded, files_that_no_run_reads_are_forgotten_and_the_others_numbered_anew) {
  Learned learned;
  learned.files = {"made", "a", "made too", "b"};
  learned.places.resize(4);
  learned.places[3].size_bytes = 33;
  learned.scenarios = {scenario("s", 1, pages_of_file(3, 2))};
  learned.shadow = {"shadow-1",
                    {{}, {7, 7, 7, 7}, {}, {}},
                    {{.scenario = kCore, .pages = {page_key(1, 5)}, .hashes = {1}}}};
  drop_unread(learned, is_anywhere);
  EXPECT_THAT(learned.files, ElementsAre("a", "b"));
  EXPECT_EQ(learned.places[1].size_bytes, 33u);
  EXPECT_EQ(learned.shadow.stamps[0], (ChangeStamp{7, 7, 7, 7}));
  EXPECT_THAT(learned.shadow.sections[0].pages, ElementsAre(page_key(0, 5)));
  EXPECT_EQ(learned.scenarios[0].pages[1].page, page_key(1, 1));
  EXPECT_TRUE(parse_learned(to_text(learned), "f"));
}

TEST(Bounded, what_is_gone_from_the_folder_drops_out_of_scenarios) {
  Learned learned;
  learned.files = {"there", "gone"};
  learned.scenarios = {scenario("gone", 1, pages_of_file(1, 3)),
                       scenario("both", 2, pages_of_file(0, 2))};
  learned.scenarios[1].pages.push_back({page_key(1, 9), 1});
  learned.scenarios[1].next = {{0, 1}, {1, 2}};
  drop_unread(learned, [](const std::string& file) { return file == "there"; });
  EXPECT_THAT(learned.files, ElementsAre("there"));
  EXPECT_THAT(names_of(learned), ElementsAre("both"));
  EXPECT_THAT(learned.scenarios[0].pages, SizeIs(2));
  EXPECT_THAT(learned.scenarios[0].next, ElementsAre(NextScenario{0, 2}));
}

TEST(Bounded, names_are_forgotten_as_files_are) {
  Learned learned;
  learned.files = {"f"};
  learned.names = {{"unused"}, {"/", 7}, {"gone"}, {"kept"}};
  learned.scenarios = {scenario("s", 1, {})};
  learned.scenarios[0].names = {{3, 1}, {2, 1}, {1, 1}};
  drop_unread(learned, [](const std::string& name) { return name != "gone"; });
  EXPECT_THAT(learned.names, ElementsAre(LearnedName{"/", 7}, LearnedName{"kept"}));
  EXPECT_THAT(learned.scenarios[0].names, ElementsAre(SeenName{1, 1}, SeenName{0, 1}));
  EXPECT_TRUE(make_smaller(learned));
  EXPECT_THAT(learned.names, IsEmpty());
  EXPECT_TRUE(parse_learned(to_text(learned), "f"));
  EXPECT_FALSE(make_smaller(learned));
}

TEST(Bounded, the_oldest_of_what_was_run_least_is_left_out_but_never_the_newest) {
  Learned learned;
  learned.files = {"f"};
  for (const uint32_t runs : {3, 2, 2, 1})
    learned.scenarios.push_back(
        scenario(fmt::format("s{}", learned.scenarios.size()), runs, pages_of_file(0, 4)));
  learned.shadow.sections = {{.scenario = 1, .pages = {}, .hashes = {}},
                             {.scenario = 3, .pages = {}, .hashes = {}}};
  EXPECT_TRUE(make_smaller(learned));
  EXPECT_THAT(names_of(learned), ElementsAre("s0", "s2", "s3"));
  ASSERT_THAT(learned.shadow.sections, SizeIs(1));
  EXPECT_EQ(learned.shadow.sections[0].scenario, 2u);
  EXPECT_TRUE(make_smaller(learned));
  EXPECT_TRUE(make_smaller(learned));
  EXPECT_THAT(names_of(learned), ElementsAre("s3"));
  EXPECT_TRUE(make_smaller(learned));
  EXPECT_THAT(learned.scenarios[0].pages, SizeIs(2));
  while (make_smaller(learned)) {
  }
  EXPECT_THAT(learned.scenarios[0].pages, IsEmpty());
}

TEST(Bounded, a_game_that_loads_something_else_each_time_fills_nothing) {
  Learned learned;
  for (uint32_t run = 0; run < kMostScenarios + 50; ++run) {
    learned.files.push_back(fmt::format("file {}", run));
    const auto file = static_cast<uint32_t>(learned.files.size() - 1);
    learn(learned, {.is_start = true, .pages = {page_key(file, 0)}});
    drop_unread(learned, is_anywhere);
    keep_within_bounds(learned);
  }
  drop_unread(learned, is_anywhere);
  EXPECT_THAT(learned.scenarios, SizeIs(kMostScenarios));
  EXPECT_THAT(learned.files, SizeIs(kMostScenarios));
  EXPECT_EQ(learned.scenarios.back().name, fmt::format("start: file {}", kMostScenarios + 49));
}

TEST(Bounded, pages_are_counted_over_all_scenarios) {
  Learned learned;
  learned.files = {"f"};
  constexpr uint64_t kThird = kMostLearnedPages / 3 + 1;
  for (const std::string name : {"a", "b", "c"})
    learned.scenarios.push_back(scenario(name, 1, pages_of_file(0, kThird)));
  // A few bytes stand for all pages, so a forged file could take any amount of memory.
  EXPECT_FALSE(parse_learned(to_text(learned), "f"));
  keep_within_bounds(learned);
  EXPECT_THAT(names_of(learned), ElementsAre("b", "c"));
  EXPECT_TRUE(parse_learned(to_text(learned), "f"));
}

}  // namespace
}  // namespace seekless
