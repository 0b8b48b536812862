#include "packer/layout/planner.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

ProfiledScenario scenario(const std::string& name, std::vector<std::vector<uint32_t>> runs) {
  ProfiledScenario of = {name, {}};
  for (auto& run : runs) of.runs.push_back({"trace", std::move(run)});
  return of;
}

std::vector<uint32_t> merged(std::vector<std::vector<uint32_t>> runs) {
  return merge_runs(scenario("s", std::move(runs)));
}

// Assets 0, 1, 2... are "a0", "a1", "a2"...
Content content_of(size_t count) {
  Content content;
  content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
  for (uint32_t i = 0; i < count; ++i)
    content.assets.push_back(
        {"a" + std::to_string(i), {.size_bytes = 10 + i, .entry = i, .crc32 = 100 + i}});
  std::ranges::sort(content.assets, {}, &Asset::path);
  return content;
}

Profile profile_of(size_t count, std::vector<ProfiledScenario> scenarios) {
  Profile profile;
  for (size_t i = 0; i < count; ++i) profile.assets.push_back("a" + std::to_string(i));
  profile.scenarios = std::move(scenarios);
  return profile;
}

// "name: path path ..." of each pack.
std::vector<std::string> packs_of(const Layout& layout) {
  std::vector<std::string> packs;
  for (const LaidPack& pack : layout.packs) {
    std::string text = pack.name + ":";
    for (const LaidAsset& asset : pack.assets) text += " " + asset.path;
    packs.push_back(text);
  }
  return packs;
}

TEST(MergeRuns, keeps_the_order_of_one_run) {
  EXPECT_THAT(merged({{2, 0, 1}}), ElementsAre(2, 0, 1));
  EXPECT_THAT(merged({}), IsEmpty());
  EXPECT_THAT(merged({{}, {}}), IsEmpty());
}

TEST(MergeRuns, puts_what_is_new_behind_what_preceded_it) {
  EXPECT_THAT(merged({{0, 1, 2}, {0, 3, 4, 2, 5}}), ElementsAre(0, 3, 4, 1, 2, 5));
  EXPECT_THAT(merged({{0, 1}, {7, 0}}), ElementsAre(7, 0, 1));
  EXPECT_THAT(merged({{}, {0, 1}}), ElementsAre(0, 1));
}

TEST(MergeRuns, bears_repeats_and_other_orders) {
  EXPECT_THAT(merged({{0, 0, 1, 0, 2, 1}}), ElementsAre(0, 2, 1));
  EXPECT_THAT(merged({{0, 1, 2}, {2, 1, 0, 3}}), ElementsAre(0, 3, 1, 2));
}

TEST(MergeRuns, has_each_asset_once_whatever_the_runs) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<uint32_t>> runs(random() % 5);
    std::set<uint32_t> all;
    for (auto& run : runs)
      for (size_t i = random() % 30; i > 0; --i) {
        run.push_back(static_cast<uint32_t>(random() % 20));
        all.insert(run.back());
      }
    std::vector<uint32_t> order = merged(runs);
    std::ranges::sort(order);
    EXPECT_EQ(order, std::vector<uint32_t>(all.begin(), all.end()));
  }
}

TEST(Planner, splits_into_common_sub_and_cold) {
  const Plan plan =
      plan_layout(profile_of(5, {scenario("menu", {{3, 0, 1}}), scenario("level", {{4, 1}})}),
                  content_of(7), {});
  EXPECT_THAT(packs_of(plan.layout),
              ElementsAre("common: a1", "menu: a3 a0", "level: a4", "cold: a2 a5 a6"));
  EXPECT_THAT(plan.layout.scenario_sets,
              ElementsAre(IsEmpty(), ElementsAre(0, 1), ElementsAre(0), ElementsAre(1)));
  EXPECT_TRUE(check_layout(plan.layout, "layout"));
  EXPECT_EQ(plan.layout.packs[0].kind, PackKind::common);
  EXPECT_EQ(plan.layout.packs[1].kind, PackKind::sub);
  EXPECT_EQ(plan.layout.packs[3].kind, PackKind::cold);
}

TEST(Planner, makes_no_empty_pack) {
  const Plan plan = plan_layout(profile_of(2, {scenario("menu", {{0, 1}})}), content_of(2), {});
  EXPECT_THAT(packs_of(plan.layout), ElementsAre("menu: a0 a1"));
  EXPECT_THAT(packs_of(plan_layout({}, content_of(2), {}).layout), ElementsAre("cold: a0 a1"));
}

TEST(Planner, common_holds_together_what_the_same_scenarios_read_most_first) {
  const Plan plan =
      plan_layout(profile_of(6, {scenario("x", {{0, 1, 2, 3}}), scenario("y", {{4, 3, 1, 0}}),
                                 scenario("z", {{2, 1, 4}})}),
                  content_of(5), {});
  // a1 by all; then a0 and a3 by x and y, a2 by x and z, a4 by y and z.
  EXPECT_THAT(packs_of(plan.layout), ElementsAre("common: a1 a0 a3 a2 a4"));
}

TEST(Planner, tells_what_is_gone) {
  const Plan plan = plan_layout(profile_of(4, {scenario("menu", {{3, 0, 2}})}), content_of(2), {});
  EXPECT_THAT(plan.gone, ElementsAre("a2", "a3"));
  EXPECT_THAT(packs_of(plan.layout), ElementsAre("menu: a0", "cold: a1"));
}

TEST(Planner, gives_scenarios_names_that_files_can_have) {
  std::vector<ProfiledScenario> scenarios;
  std::vector<std::string> names = {"common",
                                    "a/b",
                                    "a-b",
                                    "A-B",
                                    "cold",
                                    "catalog",
                                    "..",
                                    "a-b-2",
                                    "x\x7Fy",
                                    std::string(3000, 'n'),
                                    std::string(150, 'a') + "\xE2\x82\xAC"};
  for (uint32_t i = 0; i < names.size(); ++i) scenarios.push_back(scenario(names[i], {{i}}));
  const Plan plan = plan_layout(profile_of(names.size(), scenarios), content_of(names.size()), {});
  std::set<std::string> folded;
  for (const LaidPack& pack : plan.layout.packs) {
    EXPECT_LE(pack.name.size(), 200U);
    std::string name = pack.name;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    EXPECT_TRUE(folded.insert(name).second) << name;
  }
  EXPECT_EQ(folded.size(), names.size());
  for (LaidScenario& of : const_cast<Layout&>(plan.layout).scenarios)
    if (of.name.find('\x7F') != std::string::npos) of.name = "xy";
  const auto checked = check_layout(plan.layout, "layout");
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST(Planner, aligns_by_the_last_rule_that_matches) {
  const Plan plan = plan_layout({}, content_of(12), {.alignments = {{"a*", 256}, {"a1*", 4096}}});
  for (const LaidAsset& asset : plan.layout.packs[0].assets)
    EXPECT_EQ(asset.alignment_bytes, asset.path.starts_with("a1") ? 4096U : 256U);
}

// A profile is JSON that anyone may edit.
TEST(Planner, bears_a_path_that_stands_in_the_profile_twice) {
  Profile profile = profile_of(1, {scenario("menu", {{0, 1}})});
  profile.assets.push_back("a0");
  const Plan plan = plan_layout(profile, content_of(1), {});
  EXPECT_THAT(packs_of(plan.layout), ElementsAre("menu: a0"));
  EXPECT_TRUE(check_layout(plan.layout, "layout"));
}

TEST(Planner, places_every_asset_exactly_once) {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    std::vector<ProfiledScenario> scenarios(random() % 6);
    for (size_t i = 0; i < scenarios.size(); ++i) {
      scenarios[i].name = "s" + std::to_string(i);
      scenarios[i].runs.resize(1 + random() % 3);
      for (ProfiledRun& run : scenarios[i].runs)
        for (size_t k = random() % 40; k > 0; --k)
          run.assets.push_back(static_cast<uint32_t>(random() % 50));
    }
    const Content content = content_of(60);
    const Plan plan = plan_layout(profile_of(50, scenarios), content, {});
    std::vector<std::string> paths;
    for (const LaidPack& pack : plan.layout.packs)
      for (const LaidAsset& asset : pack.assets) paths.push_back(asset.path);
    std::ranges::sort(paths);
    ASSERT_EQ(paths.size(), content.assets.size());
    for (size_t i = 0; i < paths.size(); ++i) EXPECT_EQ(paths[i], content.assets[i].path);
    EXPECT_TRUE(check_layout(plan.layout, "layout"));
  }
}

}  // namespace
}  // namespace seekless
