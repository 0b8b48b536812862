#include "packer/plan/internal/typical.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/plan/internal/random_choice.h"
#include "packer/plan/planner.h"

namespace seekless {
namespace {

using testing::HasSubstr;

// Maps that need the assets for which `is_needed` is true, each in its own order.
struct Game {
  Content content;
  Profile profile;

  template <typename SizeOf, typename IsNeeded>
  Game(uint32_t assets, uint32_t maps, SizeOf size_bytes, IsNeeded is_needed) {
    content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < assets; ++i) {
      Asset& asset = content.assets.emplace_back();
      asset.path = content.paths.add(fmt::format("data/{:06}", i));
      asset.place = {.size_bytes = size_bytes(i), .entry = i, .crc32 = i};
      profile.assets.emplace_back(asset.path);
    }
    RandomChoice random(3);
    for (uint32_t map = 0; map < maps; ++map) {
      std::vector<uint32_t> run;
      for (uint32_t i = 0; i < assets; ++i)
        if (is_needed(map, i)) run.push_back(i);
      random.shuffle(run);
      profile.scenarios.push_back({fmt::format("map/{:02}", map), {}});
      profile.scenarios.back().runs.push_back({.trace = "trace", .assets = std::move(run)});
    }
  }

  Layout plan(PlanOptions options = {}) const {
    return plan_layout(profile, content, options).layout;
  }
};

// All maps read the first 200 assets; each map also has ten of its own.
Game game_of(uint32_t maps) {
  return Game(
      200 + 10 * maps, maps, [](uint32_t) { return uint64_t{60'000}; },
      [](uint32_t map, uint32_t i) { return i < 200 || (i - 200) / 10 == map; });
}

std::vector<std::string> needs_of(const Layout& layout, const std::string& name) {
  std::vector<std::string> needs;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets)
      for (const uint32_t reader : layout.scenario_sets[asset.scenario_set])
        if (layout.scenarios[reader].name == name) needs.emplace_back(asset.path);
  std::ranges::sort(needs);
  return needs;
}

TEST(Typical, is_what_the_maps_need_and_not_what_one_does) {
  const Layout layout = game_of(8).plan();
  ASSERT_EQ(layout.scenarios.size(), 9U);
  const LaidScenario& typical = layout.scenarios.back();
  EXPECT_EQ(typical.name, "map/typical");
  EXPECT_EQ(typical.runs, 0U);
  const std::vector<std::string> needs = needs_of(layout, "map/typical");
  EXPECT_EQ(needs.size(), 200U);
  EXPECT_EQ(needs.back(), "data/000199");
  EXPECT_LT(typical.predicted->sweep_s, 0.5 * typical.predicted->demand_s);
  EXPECT_GT(typical.predicted->sweep_s, typical.predicted->bound_s);
  EXPECT_DOUBLE_EQ(typical.predicted->unseen_assets, 10);
  EXPECT_EQ(typical.predicted->needed_bytes, 210U * 60'000);
  EXPECT_THAT(layout.prediction->reasons, HasSubstr("A map that nobody recorded: "));
}

TEST(Typical, is_not_made_where_maps_share_nothing_or_are_too_few) {
  const Game apart(
      400, 8, [](uint32_t) { return uint64_t{60'000}; },
      [](uint32_t map, uint32_t i) { return i / 50 == map; });
  const Layout layout = apart.plan();
  EXPECT_EQ(layout.scenarios.size(), 8U);
  EXPECT_THAT(layout.prediction->reasons, HasSubstr("A map that nobody recorded: "));
  EXPECT_EQ(game_of(2).plan().scenarios.size(), 2U);
}

TEST(Typical, is_not_made_for_solid_state) {
  PlanOptions options;
  options.drive = *find_profile("sata-ssd");
  EXPECT_EQ(game_of(8).plan(options).scenarios.size(), 8U);
}

TEST(Typical, one_that_was_recorded_is_left_as_it_is) {
  Game game = game_of(8);
  game.profile.scenarios.push_back({"map/typical", {{.trace = "trace", .assets = {0, 1, 2}}}});
  const Layout layout = game.plan();
  EXPECT_EQ(layout.scenarios.size(), 9U);
  EXPECT_EQ(needs_of(layout, "map/typical").size(), 3U);
}

TEST(Typical, what_rules_leave_out_is_not_in_it) {
  PlanOptions options;
  options.rules.push_back({.glob = "data/00000*", .excluded = true});
  EXPECT_EQ(needs_of(game_of(8).plan(options), "map/typical").size(), 190U);
}

// Assets that four of ten maps need are swept for all if they are small and scattered, but not if
// they are large.
TEST(Typical, how_many_maps_have_to_need_it_is_found_by_maps_left_out) {
  const auto with = [](uint64_t size_of_some) {
    return Game(
               600, 10, [=](uint32_t i) { return i < 100 ? uint64_t{60'000} : size_of_some; },
               [](uint32_t map, uint32_t i) { return i < 100 || (i * 7919 + map * 3) % 10 < 4; })
        .plan();
  };
  EXPECT_EQ(needs_of(with(1'000), "map/typical").size(), 600U);
  EXPECT_EQ(needs_of(with(4'000'000), "map/typical").size(), 100U);
}

}  // namespace
}  // namespace seekless
