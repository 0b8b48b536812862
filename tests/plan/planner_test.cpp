#include "packer/plan/planner.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rounds.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProfiledScenario scenario(const std::string& name, std::vector<std::vector<uint32_t>> runs) {
  ProfiledScenario of = {name, {}};
  for (auto& run : runs) of.runs.push_back({"trace", std::move(run)});
  return of;
}

// Makes the assets 0, 1, 2... as "a0", "a1", "a2"...
Content content_of(size_t count) {
  Content content;
  content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
  for (uint32_t i = 0; i < count; ++i)
    content.assets.push_back({content.paths.add("a" + std::to_string(i)),
                              {.size_bytes = 10 + i, .entry = i, .crc32 = 100 + i}});
  std::ranges::sort(content.assets, {}, &Asset::path);
  return content;
}

Profile profile_of(size_t count, std::vector<ProfiledScenario> scenarios) {
  Profile profile;
  for (size_t i = 0; i < count; ++i) profile.assets.push_back("a" + std::to_string(i));
  profile.scenarios = std::move(scenarios);
  return profile;
}

// Returns "name: path path ..." for each pack.
std::vector<std::string> packs_of(const Layout& layout) {
  std::vector<std::string> packs;
  for (const LaidPack& pack : layout.packs) {
    std::string text = pack.name + ":";
    for (const LaidAsset& asset : pack.assets) text += " " + std::string(asset.path);
    packs.push_back(text);
  }
  return packs;
}

// Allows no copies, so that the packs' parts can be told apart.
PlanOptions without_copies() {
  PlanOptions options;
  options.budget_ratio = 1;
  return options;
}

TEST(Planner, splits_into_common_sub_and_cold) {
  const Plan plan =
      plan_layout(profile_of(5, {scenario("menu", {{3, 0, 1}}), scenario("level", {{4, 1}})}),
                  content_of(7), without_copies());
  EXPECT_THAT(packs_of(plan.layout),
              ElementsAre("common: a1", "level: a4", "menu: a3 a0", "cold: a2 a5 a6"));
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

TEST(Planner, common_holds_together_what_the_same_scenarios_read) {
  const Plan plan =
      plan_layout(profile_of(6, {scenario("x", {{0, 1, 2, 3}}), scenario("y", {{3, 4, 0, 1}}),
                                 scenario("z", {{2, 5, 4}})}),
                  content_of(6), without_copies());
  const std::string common = packs_of(plan.layout).front();
  // x and y read a0, a1 and a3; x and z read a2; y and z read a4.
  const std::string together = common.substr(common.find_first_of("013"), 8);
  EXPECT_THAT(together, testing::AllOf(testing::HasSubstr("0"), testing::HasSubstr("1"),
                                       testing::HasSubstr("3")))
      << common;
}

TEST(Planner, lays_a_scenario_out_in_the_order_it_is_read) {
  const Plan plan = plan_layout(profile_of(5, {scenario("menu", {{3, 0, 4, 2}, {3, 0, 4, 2}})}),
                                content_of(5), {});
  EXPECT_THAT(packs_of(plan.layout), ElementsAre("menu: a3 a0 a4 a2", "cold: a1"));
}

TEST(Planner, copies_what_is_worth_it_and_no_more_than_the_budget) {
  // Two scenarios share 10 bytes, before bytes that only one of them reads together with a third.
  const Profile profile = profile_of(
      9, {scenario("x", {{0, 1, 2}}), scenario("y", {{0, 3, 4}}), scenario("z", {{1, 3, 5}})});
  PlanOptions unlimited;
  unlimited.budget_ratio.reset();
  const Plan copied = plan_layout(profile, content_of(9), unlimited);
  EXPECT_GT(copied.layout.prediction->copied_bytes, 0U);
  EXPECT_TRUE(check_layout(copied.layout, "layout"));
  const Plan plain = plan_layout(profile, content_of(9), without_copies());
  EXPECT_EQ(plain.layout.prediction->copied_bytes, 0U);
  EXPECT_LT(copied.layout.prediction->seconds, plain.layout.prediction->seconds);
  PlanOptions dear;
  dear.gain_s_per_gb = 1e9;
  EXPECT_EQ(plan_layout(profile, content_of(9), dear).layout.prediction->copied_bytes, 0U);
}

TEST(Planner, every_scenario_reads_each_asset_that_it_needs_from_one_place) {
  std::mt19937 random(7);
  for (int round = 0; round < test::rounds(20); ++round) {
    std::vector<ProfiledScenario> scenarios(2 + random() % 5);
    std::vector<std::set<uint32_t>> needed(scenarios.size());
    for (uint32_t i = 0; i < scenarios.size(); ++i) {
      scenarios[i].name = "s" + std::to_string(i);
      scenarios[i].runs.resize(1 + random() % 3);
      for (ProfiledRun& run : scenarios[i].runs)
        for (size_t k = random() % 40; k > 0; --k) {
          const auto asset = static_cast<uint32_t>(random() % 50);
          run.assets.push_back(asset);
          needed[i].insert(asset);
        }
    }
    const Content content = content_of(50);
    const Layout layout = plan_layout(profile_of(50, scenarios), content, {}).layout;
    std::vector<std::multiset<std::string>> found(scenarios.size());
    for (const LaidPack& pack : layout.packs)
      for (const LaidAsset& asset : pack.assets)
        for (const uint32_t reader : layout.scenario_sets[asset.scenario_set])
          found[reader].insert(asset.path);
    for (uint32_t i = 0; i < scenarios.size(); ++i) {
      std::multiset<std::string> expected;
      for (const uint32_t asset : needed[i]) expected.insert("a" + std::to_string(asset));
      EXPECT_EQ(found[i], expected);
    }
  }
}

TEST(Planner, copies_nothing_on_solid_state) {
  PlanOptions options;
  options.gain_s_per_gb = 0;
  for (const char* drive : {"sata-ssd", "nvme-optane"}) {
    options.drive = *find_profile(drive);
    const Plan plan =
        plan_layout(profile_of(9, {scenario("x", {{0, 1, 2}}), scenario("y", {{0, 3, 4}}),
                                   scenario("z", {{1, 3, 5}})}),
                    content_of(9), options);
    EXPECT_EQ(plan.layout.prediction->copied_bytes, 0U);
    EXPECT_THAT(plan.layout.prediction->reasons, testing::HasSubstr("Nothing is copied"));
  }
}

TEST(Planner, predicts_on_runs_that_it_was_not_made_from) {
  const Plan plan = plan_layout(
      profile_of(5, {scenario("x", {{0, 1}, {0, 1, 2}}), scenario("y", {{3}})}), content_of(5), {});
  const PredictedLoad& x = *plan.layout.scenarios[0].predicted;
  EXPECT_TRUE(x.is_held_out);
  EXPECT_DOUBLE_EQ(x.unseen_assets, 0.5);  // that is a2, when the second run is held out
  EXPECT_FALSE(plan.layout.scenarios[1].predicted->is_held_out);
  EXPECT_GE(x.sweep_s, x.bound_s);
  EXPECT_EQ(x.needed_bytes, 10U + 11U + 12U);
}

TEST(Planner, is_the_same_for_any_number_of_threads) {
  std::mt19937 random(11);
  std::vector<ProfiledScenario> scenarios(6);
  for (size_t i = 0; i < scenarios.size(); ++i) {
    scenarios[i].name = "s" + std::to_string(i);
    scenarios[i].runs.resize(4);
    for (ProfiledRun& run : scenarios[i].runs)
      for (int k = 0; k < 60; ++k) run.assets.push_back(static_cast<uint32_t>(random() % 90));
  }
  PlanOptions options;
  options.threads = 1;
  const Content content = content_of(100);
  const Layout one = plan_layout(profile_of(90, scenarios), content, options).layout;
  options.threads = 7;
  EXPECT_EQ(plan_layout(profile_of(90, scenarios), content, options).layout, one);
}

TEST(Planner, is_the_same_whatever_order_scenarios_and_runs_come_in) {
  std::mt19937 random(5);
  std::vector<ProfiledScenario> scenarios(7);
  for (size_t i = 0; i < scenarios.size(); ++i) {
    scenarios[i].name = "s" + std::to_string(i);
    scenarios[i].runs.resize(3);
    for (ProfiledRun& run : scenarios[i].runs)
      for (int k = 0; k < 40; ++k) run.assets.push_back(static_cast<uint32_t>(random() % 90));
  }
  const Content content = content_of(100);
  const Layout one = plan_layout(profile_of(90, scenarios), content, {}).layout;
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(scenarios, random);
    for (ProfiledScenario& scenario : scenarios) std::ranges::shuffle(scenario.runs, random);
    EXPECT_EQ(plan_layout(profile_of(90, scenarios), content, {}).layout, one);
  }
}

TEST(Planner, recordings_of_one_name_are_not_one_recording) {
  Profile profile = profile_of(4, {scenario("boot", {{0, 1}}), scenario("map", {{1, 2}})});
  PlanOptions options;
  options.sessions = {{"boot", "map"}};
  for (const uint32_t other : {0U, 1U}) {
    profile.scenarios[1].runs[0].id = {other, 1};
    const Plan plan = plan_layout(profile, content_of(4), options);
    EXPECT_EQ(plan.layout.scenarios[1].predicted->in_memory_bytes, other == 0 ? 0U : 11U);
  }
}

TEST(Planner, what_an_earlier_scenario_has_read_is_not_swept_again) {
  Profile profile = profile_of(4, {scenario("boot", {{0, 1}}), scenario("map", {{1, 2}})});
  profile.scenarios[1].runs[0].id.trace = 1;
  PlanOptions options;
  options.sessions = {{"boot", "map"}};
  const Plan plan = plan_layout(profile, content_of(4), options);
  EXPECT_THAT(packs_of(plan.layout), ElementsAre("boot: a0 a1", "map: a2", "cold: a3"));
  EXPECT_EQ(plan.layout.scenarios[1].predicted->in_memory_bytes, 11U);
}

TEST(Planner, keeps_what_one_scenario_is_worth_nothing) {
  PlanOptions options;
  options.weights = {{"x", 0}, {"y", 0}, {"unknown", 2}};
  const Plan plan = plan_layout(profile_of(4, {scenario("x", {{0, 1}}), scenario("y", {{1, 2}})}),
                                content_of(4), options);
  EXPECT_EQ(plan.layout.prediction->copied_bytes, 0U);
  EXPECT_EQ(plan.layout.scenarios[0].predicted->needed_bytes, 21U);
  EXPECT_THAT(plan.warnings, ElementsAre(testing::HasSubstr("'unknown'")));
}

TEST(Planner, obeys_rules) {
  PlanOptions options;
  PlanRule to_pack = {.glob = "a0",
                      .pack = "Music",
                      .order = {},
                      .alignment_bytes = {},
                      .copies = {},
                      .excluded = {}};
  PlanRule to_same = {.glob = "a5",
                      .pack = "music",
                      .order = -1,
                      .alignment_bytes = {},
                      .copies = {},
                      .excluded = {}};
  PlanRule to_cold = {.glob = "a1",
                      .pack = "cold",
                      .order = {},
                      .alignment_bytes = {},
                      .copies = {},
                      .excluded = {}};
  PlanRule to_sub = {
      .glob = "a6", .pack = "y", .order = {}, .alignment_bytes = {}, .copies = {}, .excluded = {}};
  PlanRule never = {.glob = "a2",
                    .pack = {},
                    .order = {},
                    .alignment_bytes = {},
                    .copies = false,
                    .excluded = {}};
  PlanRule excluded = {
      .glob = "a7", .pack = {}, .order = {}, .alignment_bytes = {}, .copies = {}, .excluded = true};
  PlanRule none = {
      .glob = "b*", .pack = {}, .order = 3, .alignment_bytes = {}, .copies = {}, .excluded = {}};
  options.rules = {to_pack, to_same, to_cold, to_sub, never, excluded, none};
  const Plan plan = plan_layout(
      profile_of(8, {scenario("x", {{0, 1, 2, 3, 7}}), scenario("y", {{2, 4, 0, 5, 3}})}),
      content_of(8), options);
  EXPECT_TRUE(check_layout(plan.layout, "layout"));
  std::map<std::string, std::string> packs;
  for (const std::string& text : packs_of(plan.layout))
    packs[text.substr(0, text.find(':'))] = text.substr(text.find(':') + 1);
  EXPECT_EQ(packs["Music"], " a5 a0");
  EXPECT_EQ(packs["cold"], " a1");
  EXPECT_THAT(packs["y"], testing::EndsWith(" a6"));
  EXPECT_THAT(packs["common"], testing::HasSubstr(" a2"));  // a3 has copies
  for (const auto& [name, assets] : packs)
    EXPECT_THAT(assets, testing::Not(testing::HasSubstr("a7")));
  EXPECT_THAT(plan.warnings,
              ElementsAre(testing::HasSubstr("'b*'"), testing::HasSubstr("1 excluded")));
}

TEST(Planner, names_a_run_that_reads_other_things) {
  Profile profile = profile_of(8, {scenario("x", {{0, 1, 2}, {0, 1, 2, 3}, {1, 0, 2}, {5, 6, 7}})});
  profile.scenarios[0].runs[3].trace = "odd one";
  PlanOptions options;
  const Plan kept = plan_layout(profile, content_of(8), options);
  EXPECT_THAT(kept.layout.prediction->reasons, testing::HasSubstr("odd one"));
  options.drop_outliers = true;
  const Plan dropped = plan_layout(profile, content_of(8), options);
  EXPECT_THAT(packs_of(dropped.layout).front(), testing::Not(testing::HasSubstr("a5")));
}

// The slowness of a recording says nothing about the load; the verdict handles its consequences.
TEST(Planner, reasons_promise_nothing_by_how_long_a_recording_waited) {
  Profile profile = profile_of(3, {scenario("x", {{0, 1, 2}})});
  profile.scenarios[0].runs[0].span_us = 10'000'000;
  profile.scenarios[0].runs[0].waiting_us = 1'000'000;
  EXPECT_THAT(plan_layout(profile, content_of(3), {}).layout.prediction->reasons,
              testing::Not(testing::HasSubstr("times faster")));
}

TEST(Planner, bears_scenarios_of_nothing_one_asset_and_empty_assets) {
  Content content = content_of(4);
  content.assets[0].place.size_bytes = 0;
  Profile profile = profile_of(4, {scenario("empty", {{}}), scenario("gone", {{3}}),
                                   scenario("one", {{1}}), scenario("zero", {{0}, {0}})});
  profile.assets[3] = "gone";
  const Plan plan = plan_layout(profile, content, {});
  EXPECT_TRUE(check_layout(plan.layout, "layout"));
  EXPECT_THAT(plan.gone, ElementsAre("gone"));
  EXPECT_THAT(plan.layout.prediction->reasons, testing::HasSubstr("Record gone again"));
  EXPECT_EQ(plan.layout.scenarios[3].predicted->needed_bytes, 0U);
}

TEST(Planner, bears_ten_thousand_scenarios) {
  std::mt19937 random(13);
  std::vector<ProfiledScenario> scenarios(test::rounds(10'000));
  for (size_t i = 0; i < scenarios.size(); ++i) {
    scenarios[i].name = "s" + std::to_string(i);
    scenarios[i].runs.resize(1);
    for (int k = 0; k < 8; ++k)
      scenarios[i].runs[0].assets.push_back(static_cast<uint32_t>(random() % 5000));
  }
  const Plan plan = plan_layout(profile_of(5000, scenarios), content_of(5000), without_copies());
  EXPECT_TRUE(check_layout(plan.layout, "layout"));
  EXPECT_EQ(plan.layout.scenarios.size(), scenarios.size());
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
  PlanOptions options;
  for (const auto& [glob, bytes] : {std::pair("a*", 256U), {"a1*", 4096U}}) {
    options.rules.emplace_back().glob = glob;
    options.rules.back().alignment_bytes = bytes;
  }
  const Plan plan = plan_layout({}, content_of(12), options);
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
  for (int round = 0; round < test::rounds(30); ++round) {
    std::vector<ProfiledScenario> scenarios(random() % 6);
    for (size_t i = 0; i < scenarios.size(); ++i) {
      scenarios[i].name = "s" + std::to_string(i);
      scenarios[i].runs.resize(1 + random() % 3);
      for (ProfiledRun& run : scenarios[i].runs)
        for (size_t k = random() % 40; k > 0; --k)
          run.assets.push_back(static_cast<uint32_t>(random() % 50));
    }
    const Content content = content_of(60);
    const Plan plan = plan_layout(profile_of(50, scenarios), content, without_copies());
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
