#include "packer/plan/internal/seldom_read.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/plan/internal/random_choice.h"
#include "packer/plan/planner.h"
#include "tests/rounds.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

// A map whose runs share some assets, and read one of several variants each, such as the players
// that take part.
struct NoisyMap {
  static constexpr uint32_t kShared = 100;

  Content content;
  Profile profile;

  NoisyMap(uint32_t runs, uint32_t variants, uint32_t assets_each, uint64_t size_bytes) {
    content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < kShared; ++i) add(300'000);
    for (uint32_t i = 0; i < variants * assets_each; ++i) add(size_bytes);
    for (uint32_t i = 0; i < 50; ++i) add(10'000);  // nobody reads these
    RandomChoice random(7);
    ProfiledScenario& scenario = profile.scenarios.emplace_back(ProfiledScenario{"map/sea", {}});
    for (uint32_t run = 0; run < runs; ++run) {
      std::vector<uint32_t> assets;
      for (uint32_t i = 0; i < kShared; ++i) assets.push_back(i);
      const uint32_t variant = run % variants;
      for (uint32_t i = 0; i < assets_each; ++i) assets.push_back(kShared + i * variants + variant);
      random.shuffle(assets);
      scenario.runs.push_back({.trace = fmt::format("run{}", run), .assets = std::move(assets)});
    }
  }

  void add(uint64_t size_bytes) {
    const auto i = static_cast<uint32_t>(content.assets.size());
    Asset& asset = content.assets.emplace_back();
    asset.path = content.paths.add(fmt::format("data/{:06}", i));
    asset.place = {.size_bytes = size_bytes, .entry = i, .crc32 = i};
    profile.assets.emplace_back(asset.path);
  }

  Plan plan(PlanOptions options = {}) const { return plan_layout(profile, content, options); }
};

struct Laid {
  std::multiset<std::string> swept;
  std::multiset<std::string> all;
  std::map<std::string, std::string> pack_of;
};

Laid laid(const Layout& layout) {
  Laid found;
  for (const LaidPack& pack : layout.packs)
    for (const LaidAsset& asset : pack.assets) {
      found.all.emplace(asset.path);
      found.pack_of.emplace(asset.path, pack.name);
      if (!layout.scenario_sets[asset.scenario_set].empty()) found.swept.emplace(asset.path);
    }
  return found;
}

// Three variants of 30 MB each, of which a run reads one.
TEST(SeldomRead, large_variants_are_left_to_those_who_need_them) {
  const NoisyMap game(6, 3, 30, 1'000'000);
  const Plan plan = game.plan();
  const Laid found = laid(plan.layout);
  EXPECT_EQ(found.swept.size(), NoisyMap::kShared);
  EXPECT_EQ(found.all.size(), game.content.assets.size());
  EXPECT_EQ(found.pack_of.at("data/000150"), found.pack_of.at("data/000000"));
  EXPECT_EQ(found.pack_of.at("data/000190"), "cold");
  const PredictedLoad& load = *plan.layout.scenarios.front().predicted;
  // The load is 30 MB that all read and 30 that only one reads, in its own order, instead of 120
  // swept.
  EXPECT_EQ(load.needed_bytes, 60'000'000U);
  EXPECT_LT(load.sweep_s, 0.7 * 2 * load.bound_s);
  EXPECT_DOUBLE_EQ(load.unseen_assets, 30);
  EXPECT_THAT(
      plan.layout.prediction->reasons,
      HasSubstr(
          "The sweep of map/sea leaves out 90 assets (90.0 MB) that only some of its runs read: "));
  EXPECT_THAT(plan.layout.prediction->reasons, Not(HasSubstr("no other has read")));
}

TEST(SeldomRead, variants_lie_apart_at_the_edge_of_the_sweep) {
  const Plan plan = NoisyMap(6, 3, 30, 1'000'000).plan();
  const LaidPack& pack = plan.layout.packs.front();
  ASSERT_EQ(pack.assets.size(), NoisyMap::kShared + 90);
  size_t changes = 0;
  for (size_t i = 0; i < pack.assets.size(); ++i) {
    const bool is_swept = !plan.layout.scenario_sets[pack.assets[i].scenario_set].empty();
    EXPECT_EQ(is_swept, i < NoisyMap::kShared) << i;
    if (i <= NoisyMap::kShared) continue;
    const auto variant = [&](size_t of) {
      return std::stoul(std::string(pack.assets[of].path.substr(5))) % 3;
    };
    changes += variant(i) != variant(i - 1) ? 1 : 0;
  }
  EXPECT_EQ(changes, 2U);
}

TEST(SeldomRead, small_ones_are_swept_for_all) {
  const NoisyMap game(6, 3, 30, 2'000);
  const Plan plan = game.plan();
  EXPECT_EQ(laid(plan.layout).swept.size(), NoisyMap::kShared + 90);
  EXPECT_THAT(plan.layout.prediction->reasons, Not(HasSubstr("leaves out")));
}

TEST(SeldomRead, two_runs_say_nothing) {
  EXPECT_EQ(laid(NoisyMap(2, 2, 30, 1'000'000).plan().layout).swept.size(), NoisyMap::kShared + 60);
}

TEST(SeldomRead, is_the_same_whatever_the_threads) {
  const NoisyMap game(9, 3, 30, 1'000'000);
  PlanOptions options;
  options.threads = 1;
  const Plan one = game.plan(options);
  options.threads = 3;
  EXPECT_EQ(game.plan(options).layout, one.layout);
}

// Another scenario sweeps what a game's maps share, so it stays where that scenario reads it.
TEST(SeldomRead, what_another_scenario_sweeps_lies_there) {
  NoisyMap game(6, 3, 30, 1'000'000);
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < NoisyMap::kShared + 90; ++i) all.push_back(i);
  game.profile.scenarios.push_back({"map/all", {{.trace = "one", .assets = all}}});
  const Plan plan = game.plan();
  const Laid found = laid(plan.layout);
  EXPECT_GE(found.swept.size(), NoisyMap::kShared + 90);
  size_t of_sea = 0;
  for (const LaidPack& pack : plan.layout.packs)
    for (const LaidAsset& asset : pack.assets)
      for (const uint32_t reader : plan.layout.scenario_sets[asset.scenario_set])
        of_sea += plan.layout.scenarios[reader].name == "map/sea" ? 1 : 0;
  EXPECT_EQ(of_sea, NoisyMap::kShared);
}

// In random games, some scenarios leave out what others sweep, in packs with copies and without.
TEST(SeldomRead, every_asset_is_laid_and_every_run_finds_its_own_in_random_games) {
  for (uint32_t seed = 1; seed <= test::rounds(8U); ++seed) {
    RandomChoice random(seed);
    NoisyMap game(0, 1, 80, 50'000 + 400'000 * (seed % 3));
    game.profile.scenarios.clear();
    const auto read_assets = static_cast<uint32_t>(game.content.assets.size());
    for (uint32_t number = 0; number < 2 + seed % 3; ++number) {
      ProfiledScenario& scenario =
          game.profile.scenarios.emplace_back(ProfiledScenario{fmt::format("map/{}", number), {}});
      for (uint32_t run = 0; run < 3 + number; ++run) {
        std::vector<uint32_t> assets;
        for (uint32_t i = 0; i < read_assets; ++i) {
          const bool is_needed = i % 4 < 2 || random.below(4) == 0;
          if ((i + number) % 3 != 0 && is_needed) assets.push_back(i);
        }
        random.shuffle(assets);
        scenario.runs.push_back(
            {.trace = fmt::format("run{}-{}", number, run), .assets = std::move(assets)});
      }
    }
    PlanOptions options;
    options.budget_ratio = seed % 2 == 0 ? 1.0 : 3.0;
    options.gain_s_per_gb = 0.01;
    const Plan plan = game.plan(options);
    const Laid found = laid(plan.layout);
    for (const Asset& asset : game.content.assets)
      ASSERT_GE(found.all.count(std::string(asset.path)), 1U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace seekless
