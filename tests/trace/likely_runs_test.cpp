#include "packer/trace/likely_runs.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kPiece = 65536;

struct Load {
  std::string trace;
  std::vector<uint64_t> pieces;
};

std::vector<LikelyRunsOfOne> find(const std::vector<Load>& loads, std::vector<RunRule> rules = {}) {
  std::vector<std::string> paths;
  for (const Load& load : loads) paths.push_back(load.trace);
  LikelyRuns runs(paths, std::move(rules),
                  [](std::string_view path) { return !path.starts_with("/lib/"); });
  for (const Load& load : loads) {
    runs.start_trace(load.trace);
    EXPECT_TRUE(runs.begin({.scenario = scenario_of_file(load.trace)}));
    EXPECT_TRUE(runs.add_path("/lib/c.so"));
    EXPECT_TRUE(runs.add_path("/g/p"));
    EXPECT_TRUE(runs.add_event({.length_bytes = 1000 * kPiece, .path = 0}));
    for (const uint64_t piece : load.pieces)
      EXPECT_TRUE(
          runs.add_event({.offset_bytes = piece * kPiece, .length_bytes = kPiece, .path = 1}));
  }
  return runs.find();
}

TEST(LikelyRuns, scenarios_that_read_nearly_the_same_look_like_runs_of_one) {
  const auto found = find({{"r/boot-2.strace", {4, 1, 2, 3}},
                           {"r/boot_1.strace", {1, 2, 3, 4, 5}},
                           {"r/boot.strace", {1, 2, 3, 5, 4}}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].scenario, "boot");
  EXPECT_THAT(found[0].scenarios, ElementsAre("boot", "boot-2", "boot_1"));
  EXPECT_THAT(found[0].globs, ElementsAre("boot-[0-9]*", "boot_[0-9]*"));
  EXPECT_DOUBLE_EQ(found[0].least_share, 0.8);
  EXPECT_THAT(to_text(found[0]), HasSubstr("--runs 'boot-[0-9]*=boot' --runs 'boot_[0-9]*=boot'"));
  EXPECT_THAT(to_text(found[0]), HasSubstr("--runs 'boot-[0-9]*=' "));
}

TEST(LikelyRuns, maps_read_other_things) {
  EXPECT_THAT(find({{"level-1", {1, 2, 3}}, {"level-2", {1, 2, 4}}}), IsEmpty());
}

TEST(LikelyRuns, names_without_numbers_are_not_asked_about) {
  EXPECT_THAT(find({{"boot", {1, 2}}, {"menu", {1, 2}}, {"boot.2", {1, 2}}}), IsEmpty());
}

TEST(LikelyRuns, what_rules_say_is_not_asked_about) {
  const std::vector<Load> loads = {{"boot-1", {1, 2}}, {"boot-2", {1, 2}}};
  EXPECT_THAT(find(loads, {{"boot-*", ""}}), IsEmpty());
  EXPECT_THAT(find(loads, {{"boot-*", "boot"}}), IsEmpty());
}

}  // namespace
}  // namespace seekless
