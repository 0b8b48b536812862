#include "packer/plan/internal/unrecorded_draft.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/plan/internal/random_choice.h"
#include "packer/plan/planner.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint32_t kShared = 100;
constexpr uint32_t kOwn = 30;
constexpr uint64_t kSize = 60'000;

// Maps that all read the first assets, and each its own. The last maps have no recording.
struct UnrecordedGame {
  Content content;
  Profile profile;
  PlanOptions options;
  uint32_t maps = 0;

  UnrecordedGame(uint32_t count, uint32_t recorded) : maps(count) {
    RandomChoice random(3);
    content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < kShared + kOwn * maps; ++i) {
      content.assets.push_back({content.paths.add(fmt::format("data/{:06}", i)),
                                {.size_bytes = kSize, .entry = i, .crc32 = i}});
      profile.assets.emplace_back(content.assets.back().path);
    }
    for (uint32_t map = 0; map < maps; ++map) {
      const std::string name = fmt::format("map/{:02}", map);
      if (map < recorded) {
        ProfiledScenario& scenario = profile.scenarios.emplace_back(ProfiledScenario{name, {}});
        std::vector<uint32_t> run(kShared);
        for (uint32_t i = 0; i < kShared; ++i) run[i] = i;
        std::ranges::copy(own(map), std::back_inserter(run));
        random.shuffle(run);
        scenario.runs.push_back({.trace = "trace", .assets = std::move(run)});
        options.unrecorded.left_out.push_back({name, own(map)});
      } else {
        options.unrecorded.maps.push_back({name, own(map)});
      }
    }
    options.threads = 2;
  }

  // Returns rising numbers between those of the other maps.
  std::vector<uint32_t> own(uint32_t map) const {
    std::vector<uint32_t> assets;
    for (uint32_t i = 0; i < kOwn; ++i) assets.push_back(kShared + maps * i + map);
    return assets;
  }

  Layout plan() const { return plan_layout(profile, content, options).layout; }
};

std::vector<uint32_t> merged(const std::vector<uint32_t>& one, const std::vector<uint32_t>& other) {
  std::vector<uint32_t> both;
  std::ranges::set_union(one, other, std::back_inserter(both));
  return both;
}

std::vector<std::string> pack_names(const Layout& layout) {
  std::vector<std::string> names;
  for (const LaidPack& pack : layout.packs) names.push_back(pack.name);
  return names;
}

// Returns what a scenario's sweep brings, by pack.
std::vector<std::string> swept_of(const Layout& layout, const std::string& name) {
  std::vector<std::string> swept;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets)
      for (const uint32_t reader : layout.scenario_sets[asset.scenario_set])
        if (layout.scenarios[reader].name == name)
          swept.push_back(pack.name + " " + std::string(asset.path));
  return swept;
}

TEST(UnrecordedDraft, gives_maps_a_sweep_of_what_is_typical_and_what_they_mention) {
  const UnrecordedGame game(6, 4);
  const Layout layout = game.plan();
  EXPECT_THAT(pack_names(layout),
              ElementsAre("common", "map-00", "map-01", "map-02", "map-03", "unrecorded"));
  ASSERT_EQ(layout.scenarios.size(), 7U);
  EXPECT_EQ(layout.scenarios[4].name, "map/typical");
  EXPECT_EQ(layout.scenarios[6].name, "map/05");
  EXPECT_EQ(layout.scenarios[6].runs, 0U);
  EXPECT_FALSE(layout.scenarios[6].predicted);
  const std::vector<std::string> swept = swept_of(layout, "map/05");
  ASSERT_EQ(swept.size(), kShared + kOwn);
  EXPECT_THAT(swept, testing::Contains("common data/000000"));
  EXPECT_THAT(swept, testing::Contains(fmt::format("unrecorded data/{:06}", game.own(5).back())));
  EXPECT_THAT(layout.prediction->reasons,
              HasSubstr("2 maps of the content that nobody recorded, such as map/05: "));
}

TEST(UnrecordedDraft, leaves_recorded_loads_as_they_are) {
  UnrecordedGame game(6, 4);
  const Layout with = game.plan();
  game.options.unrecorded = {};
  const Layout without = game.plan();
  for (const ProfiledScenario& scenario : game.profile.scenarios)
    EXPECT_EQ(swept_of(with, scenario.name), swept_of(without, scenario.name));
  // The difference is the catalog, which is longer: 8 bytes an asset of each sweep, read at 150
  // MB/s.
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(with.scenarios[i].predicted->sweep_s, without.scenarios[i].predicted->sweep_s,
                1e-4);
  EXPECT_EQ(with.prediction->copied_bytes, without.prediction->copied_bytes);
}

TEST(UnrecordedDraft, copies_what_was_recorded_if_the_budget_allows_it) {
  UnrecordedGame game(6, 4);
  const std::vector<uint32_t> others = game.own(1);
  for (MentionedAssets& map : game.options.unrecorded.maps) map.assets = merged(map.assets, others);
  const std::string first = fmt::format("data/{:06}", others.front());
  EXPECT_THAT(swept_of(game.plan(), "map/05"), testing::Contains("unrecorded " + first));
  game.options.budget_ratio = 1;
  EXPECT_THAT(swept_of(game.plan(), "map/05"), testing::Contains("map-01 " + first));
}

TEST(UnrecordedDraft, isnt_made_if_what_files_mention_helps_no_map_that_is_left_out) {
  UnrecordedGame game(6, 4);
  for (MentionedAssets& map : game.options.unrecorded.left_out) map.assets = {};
  const Layout layout = game.plan();
  EXPECT_EQ(layout.scenarios.size(), 5U);
  EXPECT_THAT(layout.prediction->reasons, Not(HasSubstr("of the content that nobody recorded")));
  EXPECT_THAT(swept_of(layout, "map/05"), IsEmpty());
}

TEST(UnrecordedDraft, leaves_out_what_rules_exclude_and_where_they_put_it) {
  UnrecordedGame game(6, 4);
  const auto path = [](uint32_t asset) { return fmt::format("data/{:06}", asset); };
  const std::vector<uint32_t> own = game.own(5);
  game.options.rules = {{.glob = path(own[0]), .excluded = true},
                        {.glob = path(own[1]), .pack = "music"}};
  const std::vector<std::string> swept = swept_of(game.plan(), "map/05");
  EXPECT_EQ(swept.size(), kShared + kOwn - 1);
  EXPECT_THAT(swept, testing::Contains("music " + path(own[1])));
}

TEST(UnrecordedDraft, names_its_pack_apart_from_scenarios) {
  UnrecordedGame game(6, 4);
  game.profile.scenarios.push_back({"unrecorded", {}});
  game.profile.scenarios.back().runs.push_back({.trace = "trace", .assets = {0, kShared}});
  std::vector<std::string> names = pack_names(game.plan());
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
}

TEST(UnrecordedDraft, shares_its_pack_with_what_rules_put_there) {
  UnrecordedGame game(6, 4);
  game.options.rules = {{.glob = "data/000000", .pack = "unrecorded"}};
  const Layout layout = game.plan();
  std::vector<std::string> names = pack_names(layout);
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
  EXPECT_EQ(swept_of(layout, "map/05").size(), kShared + kOwn);
}

TEST(UnrecordedDraft, takes_no_map_for_the_typical_scenario) {
  UnrecordedGame game(6, 4);
  game.options.unrecorded.maps.push_back({"map/typical", game.own(5)});
  const Layout layout = game.plan();
  EXPECT_EQ(std::ranges::count(layout.scenarios, "map/typical", &LaidScenario::name), 1);
}

// Each map's own assets equal another map's first ones: a pack holds them once, and both sweeps
// list them.
TEST(UnrecordedDraft, brings_assets_that_are_equal_to_others) {
  UnrecordedGame game(6, 4);
  for (uint32_t asset = 0; asset < game.content.assets.size(); ++asset)
    game.options.same_as.push_back(asset);
  game.options.same_as[game.own(5)[3]] = game.own(4)[3];
  const Layout layout = game.plan();
  const auto names = [&](uint32_t asset) { return std::string(game.content.assets[asset].path); };
  EXPECT_THAT(swept_of(layout, "map/05"), testing::Contains("unrecorded " + names(game.own(5)[3])));
  EXPECT_EQ(swept_of(layout, "map/04").size(), kShared + kOwn);
}

}  // namespace
}  // namespace seekless
