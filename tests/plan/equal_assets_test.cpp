#include "packer/plan/equal_assets.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/plan/internal/read_costs.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Assets "a0", "a1" and so on, of 10, 11 and so on bytes, except those that are equal to an earlier
// one.
struct EqualGame {
  Content content;
  Profile profile;
  PlanOptions options;

  explicit EqualGame(std::vector<uint32_t> same_as) {
    content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < same_as.size(); ++i) {
      const std::string path = {'a', static_cast<char>('0' + i / 10),
                                static_cast<char>('0' + i % 10)};
      content.assets.push_back(
          {content.paths.add(path), {.size_bytes = 1000 + same_as[i], .entry = i}});
      profile.assets.push_back(path);
    }
    options.same_as = std::move(same_as);
    options.budget_ratio = 1;
    options.threads = 1;
  }

  void add(const std::string& name, std::vector<std::vector<uint32_t>> runs) {
    ProfiledScenario scenario = {name, {}};
    for (auto& run : runs) scenario.runs.push_back({.trace = "trace", .assets = std::move(run)});
    profile.scenarios.push_back(std::move(scenario));
  }

  Plan plan() const { return plan_layout(profile, content, options); }
};

// Returns "pack: path(readers) ..." for each pack.
std::vector<std::string> laid_text(const Layout& layout) {
  std::vector<std::string> packs;
  for (const LaidPack& pack : layout.packs) {
    std::string text = pack.name + ":";
    for (const LaidAsset& asset : pack.assets) {
      text += " " + std::string(asset.path) + "(";
      for (const uint32_t reader : layout.scenario_sets[asset.scenario_set])
        text += layout.scenarios[reader].name;
      text += ")";
    }
    packs.push_back(text);
  }
  return packs;
}

TEST(EqualAssets, each_map_s_own_copy_lies_once_in_the_common_pack) {
  EqualGame game({0, 0, 2, 3});
  game.add("x", {{0, 2}});
  game.add("y", {{1, 3}});
  const Plan plan = game.plan();
  EXPECT_THAT(laid_text(plan.layout),
              ElementsAre("common: a00(x) a01(y)", "x: a02(x)", "y: a03(y)"));
  EXPECT_THAT(plan.pack_bytes, ElementsAre(1000, 1002, 1003));
  EXPECT_TRUE(check_layout(plan.layout, "layout"));
}

TEST(EqualAssets, what_nobody_reads_lies_with_its_equals) {
  EqualGame game({0, 1, 1, 3, 3});
  game.add("x", {{2, 0}});
  EXPECT_THAT(laid_text(game.plan().layout),
              ElementsAre("x: a01() a02(x) a00(x)", "cold: a03() a04()"));
}

TEST(EqualAssets, one_load_reads_equal_content_once) {
  EqualGame game({0, 0, 2});
  game.add("x", {{1, 2, 0}});
  const Plan plan = game.plan();
  EXPECT_THAT(laid_text(plan.layout), ElementsAre("x: a00(x) a01(x) a02(x)"));
  EXPECT_EQ(plan.layout.scenarios[0].predicted->needed_bytes, 2002U);
}

TEST(EqualAssets, rules_keep_apart_what_they_treat_otherwise) {
  EqualGame game({0, 0, 0, 0});
  game.add("x", {{0, 1, 2, 3}});
  game.options.rules.push_back({.glob = "a01", .pack = "apart"});
  game.options.rules.push_back({.glob = "a02", .excluded = true});
  const Plan plan = game.plan();
  EXPECT_THAT(laid_text(plan.layout), ElementsAre("x: a00(x) a03(x)", "apart: a01(x)"));
  for (const std::string& warning : plan.warnings) EXPECT_THAT(warning, Not(HasSubstr("no asset")));
}

TEST(EqualAssets, what_is_gone_stays_gone) {
  EqualGame game({0, 0});
  game.profile.assets.push_back("gone");
  game.add("x", {{2, 1}});
  const Plan plan = game.plan();
  EXPECT_THAT(plan.gone, ElementsAre("gone"));
  EXPECT_THAT(laid_text(plan.layout), ElementsAre("x: a00() a01(x)"));
}

TEST(EqualAssets, without_equal_ones_nothing_changes) {
  EqualGame game({0, 1, 2, 3});
  game.add("x", {{3, 0, 1}});
  game.add("y", {{0, 2}});
  const Plan plan = game.plan();
  game.options.same_as.clear();
  EXPECT_EQ(plan.layout, game.plan().layout);
}

// In random games, each asset is placed, each reader has one place for each asset that it reads,
// and an asset never lies where its equals don't.
TEST(EqualAssets, every_reader_has_one_place_for_what_it_reads) {
  std::mt19937 random(1);
  for (int round = 0; round < 8; ++round) {
    std::vector<uint32_t> same_as;
    for (uint32_t i = 0; i < 20; ++i)
      same_as.push_back(i > 0 && random() % 2 == 0 ? same_as[random() % i] : i);
    EqualGame game(same_as);
    game.options.budget_ratio = 1 + static_cast<double>(random() % 3);
    const size_t scenarios = 1 + random() % 4;
    std::map<std::string, std::set<std::string>> wanted;
    for (size_t s = 0; s < scenarios; ++s) {
      const std::string name = "map/" + std::to_string(s);
      std::vector<std::vector<uint32_t>> runs(1 + random() % 3);
      for (auto& run : runs)
        for (uint32_t i = 0; i < 20; ++i)
          if (random() % 4 == 0) {
            run.push_back(i);
            wanted[name].insert(game.profile.assets[i]);
          }
      game.add(name, runs);
    }
    const Layout layout = game.plan().layout;
    ASSERT_TRUE(check_layout(layout, "layout"));
    std::set<std::string> laid;
    std::map<std::string, std::multiset<std::string>> served;
    for (const LaidPack& pack : layout.packs)
      for (const LaidAsset& asset : pack.assets) {
        laid.insert(std::string(asset.path));
        for (const uint32_t reader : layout.scenario_sets[asset.scenario_set])
          if (layout.scenarios[reader].runs > 0)
            served[layout.scenarios[reader].name].insert(std::string(asset.path));
      }
    EXPECT_EQ(laid.size(), 20U);
    for (const auto& [name, paths] : wanted)
      EXPECT_EQ(served[name], std::multiset<std::string>(paths.begin(), paths.end())) << name;
  }
}

TEST(EqualAssets, copies_earn_the_jumps_that_they_save) {
  // x and y read 3 MB that lie in the common pack once, with one jump more than if each had its own
  // copy.
  EqualGame game({0, 0, 2, 3, 4, 5});
  for (Asset& asset : game.content.assets) asset.place.size_bytes = 3'000'000;
  game.add("x", {{0, 2}});
  game.add("y", {{1, 3}});
  game.add("z", {{4}});
  const EqualContent equal = weigh_equal(game.profile, game.content, game.options);
  EXPECT_EQ(equal.assets, 1U);
  EXPECT_EQ(equal.bytes, 3'000'000U);
  EXPECT_EQ(equal.example, "a01");
  EXPECT_EQ(equal.of, "a00");
  const Plan plan = game.plan();
  ASSERT_TRUE(equal.apart);
  EXPECT_EQ(plan.packed_bytes(), 15'000'000U);
  EXPECT_EQ(equal.apart->packed_bytes, 18'000'000U);
  const double jump_s = read_costs(game.options.drive, 15'000'000).jump_s;
  EXPECT_NEAR(plan.layout.prediction->seconds - equal.apart->recorded_s, 2 * jump_s, 0.1 * jump_s);
}

TEST(EqualAssets, few_copies_are_counted_but_not_weighed) {
  EqualGame game({0, 0, 2});
  game.content.assets[2].place.size_bytes = 1'000'000;
  game.add("x", {{0, 2}});
  const EqualContent equal = weigh_equal(game.profile, game.content, game.options);
  EXPECT_EQ(equal.bytes, 1000U);
  EXPECT_FALSE(equal.apart);
}

TEST(EqualAssets, an_edit_of_any_of_them_is_charged) {
  EqualGame game({0, 1, 0});
  game.options.rewritten_by_copy = {1, 2, 3};
  const EqualAssets equal(game.profile, game.content, game.options);
  EXPECT_THAT(equal.options().rewritten_by_copy, ElementsAre(3, 2));
  EXPECT_TRUE(equal.options().same_as.empty());
}

}  // namespace
}  // namespace seekless
