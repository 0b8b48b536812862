#include "packer/foresee/recogniser.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kPages = 300;

Learned maps_with_core() {
  Learned learned;
  learned.files = {"core", "a", "b", "other"};
  for (uint32_t map = 1; map <= 2; ++map) {
    LearnedScenario scenario = {"map", 1, true, {}};
    for (uint64_t page = 0; page < kPages; ++page) {
      scenario.pages.push_back({page_key(0, page), 1});
      scenario.pages.push_back({page_key(map, page), 1});
    }
    learned.scenarios.push_back(scenario);
  }
  return learned;
}

TEST(Recogniser, tells_a_scenario_after_eight_reads_of_its_own_once) {
  Recogniser recogniser(maps_with_core());
  for (uint64_t page = 0; page < 7; ++page) EXPECT_FALSE(recogniser.note_read(page_key(2, page)));
  EXPECT_EQ(recogniser.note_read(page_key(2, 7)), 1u);
  for (uint64_t page = 8; page < kPages; ++page)
    EXPECT_FALSE(recogniser.note_read(page_key(2, page)));
}

TEST(Recogniser, the_core_tells_nothing) {
  Recogniser recogniser(maps_with_core());
  for (uint64_t page = 0; page < kPages; ++page)
    EXPECT_FALSE(recogniser.note_read(page_key(0, page)));
  EXPECT_TRUE(recogniser.agrees());
}

TEST(Recogniser, a_map_that_was_never_played_is_none_and_does_not_agree) {
  Recogniser recogniser(maps_with_core());
  for (uint64_t page = 0; page < 100; ++page) {
    EXPECT_FALSE(recogniser.note_read(page_key(3, page)));
    if (page % 4 != 0) continue;
    EXPECT_FALSE(recogniser.note_read(page_key(1, page)));
  }
  EXPECT_FALSE(recogniser.agrees());
}

TEST(Recogniser, three_of_ten_reads_may_be_others) {
  Recogniser recogniser(maps_with_core());
  std::optional<uint32_t> found;
  for (uint64_t page = 0; page < 10 && !found; ++page)
    found = recogniser.note_read(page % 5 == 4 ? page_key(3, page) : page_key(1, page));
  EXPECT_EQ(found, 0u);
}

TEST(Recogniser, a_second_scenario_of_the_same_session_is_seen_too) {
  Recogniser recogniser(maps_with_core());
  for (uint64_t page = 0; page < 200; ++page) recogniser.note_read(page_key(1, page));
  std::optional<uint32_t> found;
  for (uint64_t page = 0; page < 200 && !found; ++page)
    found = recogniser.note_read(page_key(2, page));
  EXPECT_EQ(found, 1u);
}

TEST(Recogniser, what_two_scenarios_share_tells_neither) {
  Learned learned = maps_with_core();
  for (LearnedScenario& scenario : learned.scenarios)
    for (uint64_t page = 0; page < 50; ++page) scenario.pages.push_back({page_key(3, page), 1});
  // Another start has none of it, so it doesn't belong to the core.
  learned.scenarios.push_back({"menu", 1, true, {{page_key(0, 0), 1}}});
  Recogniser recogniser(learned);
  for (uint64_t page = 0; page < 40; ++page) EXPECT_FALSE(recogniser.note_read(page_key(3, page)));
  EXPECT_FALSE(recogniser.note_read(page_key(2, 0)));
  EXPECT_EQ(recogniser.note_read(page_key(2, 1)), 1u);
}

TEST(Recogniser, what_some_of_its_runs_read_does_not_tell_for_another_one) {
  Learned learned = maps_with_core();
  for (SeenPage& seen : learned.scenarios[0].pages) seen.runs = 8;
  learned.scenarios[0].runs = 8;
  for (uint64_t page = 0; page < 50; ++page) {
    learned.scenarios[0].pages.push_back({page_key(3, page), 2});
    learned.scenarios[1].pages.push_back({page_key(3, page), 1});
  }
  Recogniser recogniser(learned);
  std::optional<uint32_t> found;
  for (uint64_t page = 0; page < 20 && !found; ++page)
    found = recogniser.note_read(page_key(1, page));
  EXPECT_EQ(found, 0u);
  for (uint64_t page = 0; page < 50; ++page) EXPECT_FALSE(recogniser.note_read(page_key(3, page)));
}

TEST(Recogniser, a_game_that_has_started_doesnt_start_again_for_a_few_pages_of_another_start) {
  Recogniser recogniser(maps_with_core());
  for (uint64_t page = 0; page < 10; ++page) recogniser.note_read(page_key(1, page));
  for (uint64_t page = 0; page < 200; ++page) {
    // Three of four pages belong to the other start.
    const PageKey read = page % 4 == 3 ? page_key(3, page) : page_key(2, page);
    EXPECT_FALSE(recogniser.note_read(read));
  }
}

TEST(Recogniser, with_nothing_learned_nothing_is_told) {
  Recogniser recogniser(Learned{});
  for (uint64_t page = 0; page < 50; ++page) EXPECT_FALSE(recogniser.note_read(page));
}

}  // namespace
}  // namespace seekless
