#include "packer/plan/plan_part.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;

struct NineMaps {
  Profile profile;
  Content content;

  // Makes maps whose neighbours share something, each read a few times in a varying order.
  explicit NineMaps(uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    constexpr uint32_t kAssets = 300;
    content.sources.push_back({.path = "game.pk3", .size_bytes = 1, .kind = SourceKind::zip});
    for (uint32_t i = 0; i < kAssets; ++i) {
      profile.assets.push_back(fmt::format("a{:04}", i));
      content.assets.push_back({content.paths.add(profile.assets.back()),
                                {.size_bytes = 2000 + random() % 200'000, .entry = i}});
    }
    for (uint32_t map = 0; map < 9; ++map) {
      ProfiledScenario& scenario = profile.scenarios.emplace_back();
      scenario.name = fmt::format("map/{}", map);
      for (uint32_t run = 0; run < 4; ++run) scenario.runs.push_back(run_of(map, run, random));
    }
  }

  static ProfiledRun run_of(uint32_t map, uint32_t number, std::mt19937_64& random) {
    std::vector<uint32_t> assets;
    for (uint32_t asset = map * 30; asset < map * 30 + 55 && asset < 300; ++asset)
      if (random() % 20 != 0) assets.push_back(asset);
    for (size_t i = 0; i + 1 < assets.size(); ++i)
      if (random() % 3 == 0) std::swap(assets[i], assets[i + 1]);
    return {.trace = fmt::format("{}.{}", map, number), .assets = assets, .id = {number, map}};
  }

  PlanWork part(uint32_t number, uint32_t count) const {
    return plan_part(profile, content, {}, number, count);
  }
};

// Files of parts, in the test's own folder.
class PlanPartFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const PlanWork& work, uint32_t number, uint32_t count,
                    const std::string& inputs = "these", const std::string& name = "") {
    const std::string path =
        (folder_ / (name.empty() ? fmt::format("{}.json", number) : name)).string();
    EXPECT_TRUE(
        write_plan_part({.inputs = inputs, .number = number, .count = count, .work = work}, path));
    return path;
  }

  std::filesystem::path folder_;
};

TEST(PlanPart, any_number_of_parts_makes_the_layout_of_one_plan) {
  const NineMaps game;
  const Layout whole = plan_layout(game.profile, game.content, {}).layout;
  for (const uint32_t count : {1U, 3U, 40U}) {
    PlanWork all;
    for (uint32_t number = count; number > 0; --number) {
      PlanWork part = game.part(number, count);
      all.orders.merge(part.orders);
      all.held_out.merge(part.held_out);
      EXPECT_TRUE(part.orders.empty() && part.held_out.empty()) << "worked out twice";
    }
    EXPECT_EQ(all, game.part(1, 1));
    EXPECT_EQ(plan_with(game.profile, game.content, {}, all).layout, whole) << count;
  }
}

TEST(PlanPart, of_many_parts_none_has_most_of_the_reads) {
  const NineMaps game;
  const size_t groups = game.part(1, 1).orders.size();
  ASSERT_GE(groups, 9U);
  for (uint32_t number = 1; number <= 3; ++number)
    EXPECT_LE(game.part(number, 3).orders.size(), groups / 3 + 4) << number;
}

TEST(PlanPart, what_is_no_order_of_the_group_is_worked_out_again) {
  const NineMaps game;
  PlanWork work = game.part(1, 1);
  auto order = work.orders.begin();
  order->second.front() = order->second.back();
  (++order)->second.push_back(0);
  (++order)->second.front() = UINT32_MAX;
  work.orders.emplace(1'000'000, std::vector<uint32_t>{1, 0});
  work.held_out.begin()->second.pop_back();
  EXPECT_EQ(plan_with(game.profile, game.content, {}, work).layout,
            plan_layout(game.profile, game.content, {}).layout);
}

TEST(PlanPart, inputs_differ_by_whatever_decides_the_layout) {
  const NineMaps game;
  const auto hash = [](const NineMaps& of, const PlanOptions& options = {},
                       const std::string& version = "1") {
    return hash_of_inputs(of.profile, of.content, options, version);
  };
  const std::string same = hash(game);
  EXPECT_EQ(hash(NineMaps()), same);
  EXPECT_NE(hash(game, {}, "2"), same);
  EXPECT_NE(hash(NineMaps(2)), same);
  EXPECT_NE(hash(game, {.weights = {{"map/1", 2}}}), same);
  EXPECT_NE(hash(game, {.budget_ratio = 1.2}), same);
  EXPECT_NE(hash(game, {.sessions = {{"map/1", "map/2"}}}), same);
  EXPECT_NE(hash(game, {.rules = {{.glob = "a", .order = 3}}}), same);
  EXPECT_NE(hash(game, {.drop_outliers = true}), same);
  EXPECT_EQ(hash(game, {.threads = 3}), same);
  NineMaps other;
  other.content.assets[7].place.size_bytes += 1;
  EXPECT_NE(hash(other), same);
  other = NineMaps();
  for (ProfiledScenario& scenario : other.profile.scenarios)
    for (ProfiledRun& run : scenario.runs) run.id.trace = 9 - run.id.trace;
  EXPECT_EQ(hash(other), same) << "recordings were given in another order";
}

TEST_F(PlanPartFiles, hold_all_of_the_work) {
  const NineMaps game;
  const std::vector<std::string> files = {write(game.part(2, 2), 2, 2),
                                          write(game.part(1, 2), 1, 2)};
  const auto work = read_plan_parts(files, "these");
  ASSERT_TRUE(work) << work.error().message;
  EXPECT_EQ(*work, game.part(1, 1));
}

TEST_F(PlanPartFiles, are_refused_by_name_where_they_dont_belong_together) {
  const PlanWork work = {.orders = {{3, {1, 0}}}, .held_out = {}};
  const std::string one = write(work, 1, 3);
  const std::string again = write(work, 1, 3, "these", "again.json");
  const std::string other = write(work, 2, 3, "those", "other.json");
  const std::string of_four = write(work, 4, 4);
  const auto refused = [](const std::vector<std::string>& paths) {
    const auto read = read_plan_parts(paths, "these");
    return read ? "nothing" : read.error().message;
  };
  EXPECT_THAT(refused({one, again}),
              testing::AllOf(HasSubstr(again), HasSubstr(one), HasSubstr("once")));
  EXPECT_THAT(refused({one, other}),
              testing::AllOf(HasSubstr(other), HasSubstr("other recordings")));
  EXPECT_THAT(refused({one, of_four}), testing::AllOf(HasSubstr(of_four), HasSubstr("one of 3")));
  EXPECT_THAT(refused({one}), testing::AllOf(HasSubstr("without part 2, 3"), HasSubstr("--merge")));
}

TEST_F(PlanPartFiles, are_refused_where_they_are_cut_off_or_changed) {
  const std::string path = write({.orders = {{3, {1, 0}}}, .held_out = {}}, 1, 1);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto refused = [&](const std::string& written) {
    std::ofstream(path) << written;
    return !read_plan_parts(std::vector{path}, "these").has_value();
  };
  for (size_t length = 0; length + 1 < text.size(); ++length)
    ASSERT_TRUE(refused(text.substr(0, length))) << length;
  const size_t order = text.find("[1,0]");
  ASSERT_NE(order, std::string::npos);
  std::string changed = text;
  changed[order + 1] = '0';
  EXPECT_TRUE(refused(changed));
  EXPECT_FALSE(refused(text));
  std::string deep = text;
  deep.insert(deep.find("\"work\":{") + 8,
              "\"deep\":" + std::string(300'000, '[') + std::string(300'000, ']') + ",");
  EXPECT_TRUE(refused(deep));
}

}  // namespace
}  // namespace seekless
