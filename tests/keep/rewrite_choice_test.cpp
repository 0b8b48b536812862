#include "packer/keep/internal/rewrite_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(RewriteChoice, packs_that_are_full_need_not_merge) {
  const std::vector<PackState> cold(12, {.kind = PackState::cold, .live_bytes = 900'000});
  EXPECT_THAT(choose_rewrites(cold, {}, {.cold_bytes = 1'000}, {}), Contains(true));
  EXPECT_THAT(choose_rewrites(cold, {}, {.cold_bytes = 1'000}, {}, 1'000'000), Not(Contains(true)));
  const std::vector<PackState> overlays(12, {.kind = PackState::overlay, .live_bytes = 900'000});
  EXPECT_THAT(choose_rewrites(overlays, {}, {.read_bytes = 9'000'000}, {}), Contains(true));
  EXPECT_THAT(choose_rewrites(overlays, {}, {.read_bytes = 9'000'000}, {}, 1'000'000),
              Not(Contains(true)));
}

TEST(RewriteChoice, a_small_edit_adds_an_overlay_and_a_large_one_merges_them) {
  const std::vector<PackState> packs = {{.kind = PackState::home, .live_bytes = 1'000'000},
                                        {.kind = PackState::overlay, .live_bytes = 90'000}};
  const GenerationPrices prices = {.max_dead = 0.2, .rewrite_price = 5};
  EXPECT_THAT(choose_rewrites(packs, {}, {.read_bytes = 1'000}, prices), Not(Contains(true)));
  EXPECT_THAT(choose_rewrites(packs, {}, {.read_bytes = 30'000}, prices), ElementsAre(false, true));
}

TEST(RewriteChoice, too_many_of_them_merge_whatever_the_price) {
  std::vector<PackState> packs;
  for (uint64_t i = 0; i < kMostOverlays; ++i)
    packs.push_back({.kind = PackState::overlay, .live_bytes = 90'000 + i});
  const std::vector<bool> chosen = choose_rewrites(packs, {}, {.read_bytes = 1'000}, {});
  EXPECT_THAT(chosen, ElementsAre(true, false, false, false));
}

TEST(RewriteChoice, what_sweeps_gain_most_by_comes_first) {
  std::vector<PackState> packs(3, {.live_bytes = 1'000'000, .dead_bytes = 10'000});
  packs[0].swept_bytes = 200'000;
  packs[1].swept_bytes = 900'000;
  packs[2].swept_bytes = 20'000;  // less than it is worth
  EXPECT_THAT(choose_rewrites(packs, {}, {.read_bytes = 300'000}, {}),
              ElementsAre(false, true, false));
  EXPECT_THAT(choose_rewrites(packs, {}, {.read_bytes = 3'000'000}, {}),
              ElementsAre(true, true, false));
}

TEST(RewriteChoice, what_slows_sweeps_much_may_cost_half_as_much_again) {
  std::vector<PackState> packs = {
      {.live_bytes = 1'000'000, .dead_bytes = 10'000, .swept_bytes = 90'000}};
  const auto is_chosen = [&](uint64_t new_bytes) -> bool {
    return choose_rewrites(packs, {}, {.read_bytes = new_bytes}, {.rewrite_price = 5})[0];
  };
  EXPECT_TRUE(is_chosen(250'000));
  EXPECT_FALSE(is_chosen(249'000));
  packs[0].swept_bytes = 110'000;
  EXPECT_TRUE(is_chosen(154'000));
  EXPECT_FALSE(is_chosen(153'000));
}

TEST(RewriteChoice, cold_packs_wait_until_room_is_short) {
  std::vector<PackState> packs = {
      {.kind = PackState::cold, .live_bytes = 600'000, .dead_bytes = 400'000},
      {.kind = PackState::home, .live_bytes = 9'000'000}};
  EXPECT_THAT(choose_rewrites(packs, {}, {.cold_bytes = 1'000'000}, {}), Not(Contains(true)));
  packs[1].live_bytes = 1'000'000;
  EXPECT_THAT(choose_rewrites(packs, {}, {.cold_bytes = 1'000'000}, {}), ElementsAre(true, false));
}

TEST(RewriteChoice, what_sweeps_gain_by_comes_before_room_unless_room_is_short) {
  std::vector<PackState> packs = {
      {.live_bytes = 3'000'000, .dead_bytes = 10'000, .swept_bytes = 300'000},
      {.kind = PackState::cold, .live_bytes = 500'000, .dead_bytes = 900'000}};
  // The budget is enough for either, but not for both.
  EXPECT_THAT(choose_rewrites(packs, {}, {.cold_bytes = 800'000}, {}), ElementsAre(true, false));
  packs[1].dead_bytes = 1'900'000;
  EXPECT_THAT(choose_rewrites(packs, {}, {.cold_bytes = 800'000}, {}), ElementsAre(false, true));
}

TEST(RewriteChoice, freeing_a_byte_may_cost_the_more_the_more_is_dead) {
  const auto is_freed = [](uint64_t live_bytes, uint64_t dead_bytes,
                           uint64_t other_dead_bytes) -> bool {
    const std::vector<PackState> packs = {
        {.kind = PackState::cold, .live_bytes = live_bytes, .dead_bytes = dead_bytes},
        {.kind = PackState::home, .live_bytes = 7'000'000, .dead_bytes = other_dead_bytes}};
    return choose_rewrites(packs, {}, {.cold_bytes = 1'000'000}, {})[0];
  };
  // 5, 10 and 17 % of the whole set are dead: 0.25, 1 and 2.9 bytes may be written for each byte
  // that is freed.
  EXPECT_TRUE(is_freed(90'000, 410'000, 30'000));
  EXPECT_FALSE(is_freed(200'000, 400'000, 30'000));
  EXPECT_TRUE(is_freed(400'000, 420'000, 510'000));
  EXPECT_FALSE(is_freed(550'000, 450'000, 500'000));
  EXPECT_TRUE(is_freed(1'000'000, 400'000, 1'440'000));
  EXPECT_FALSE(is_freed(1'300'000, 400'000, 1'440'000));
}

TEST(RewriteChoice, bounds_of_what_may_be_dead) {
  const std::vector<PackState> packs = {
      {.kind = PackState::cold, .live_bytes = 900'000, .dead_bytes = 1'000},
      {.kind = PackState::cold, .live_bytes = 1'000, .dead_bytes = 900'000}};
  EXPECT_THAT(choose_rewrites(packs, {}, {.cold_bytes = 1'000'000}, {.max_dead = 0}),
              ElementsAre(true, true));
  EXPECT_THAT(choose_rewrites(packs, {}, {.cold_bytes = 1'000'000}, {.max_dead = 1}),
              Not(Contains(true)));
}

TEST(RewriteChoice, what_goes_home_is_written_to_no_overlay) {
  std::vector<PackState> packs = {{.live_bytes = 1'000'000,
                                   .dead_bytes = 400'000,
                                   .returning = {0},
                                   .returning_bytes = 500'000},
                                  {.kind = PackState::overlay, .live_bytes = 900'000}};
  std::vector<Returning> returning = {{.size_bytes = 500'000, .homes = 1, .overlay = 1}};
  // 250,000 bytes are new, 1,500,000 belong to the home, and 400,000 lie in the overlay.
  const GenerationPrices prices = {.max_dead = 0.2, .rewrite_price = 2'150'000.0 / 250'000};
  packs[0].swept_bytes = 1'000'000;
  EXPECT_THAT(choose_rewrites(packs, returning, {.read_bytes = 250'000}, prices),
              ElementsAre(true, true));
  returning[0].homes = 2;  // the other home still lacks it
  EXPECT_THAT(choose_rewrites(packs, returning, {.read_bytes = 250'000}, prices),
              ElementsAre(true, false));
}

}  // namespace
}  // namespace seekless
