#include "packer/emit/one_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/drive/profile.h"

namespace seekless {
namespace {

// Makes files so small that reading them in order is best: a first window of reading ahead holds
// four of them. A longer file may be faster in another order, if it is opened for each of them.
Content files(size_t count) {
  Content content;
  for (size_t i = 0; i < count; ++i) {
    const PooledPath path = content.paths.add("f" + std::to_string(100 + i));
    content.sources.push_back({.path = path, .size_bytes = 20'000});
    content.assets.push_back(
        {.path = path,
         .place = {
             .size_bytes = 20'000, .stored_bytes = 20'000, .source = static_cast<uint32_t>(i)}});
  }
  return content;
}

std::vector<std::string> order_of(const Layout& layout) {
  std::vector<std::string> paths;
  for (const LaidAsset& asset : layout.packs.front().assets) paths.emplace_back(asset.path);
  return paths;
}

// Reads every third file, backwards.
Profile backwards() {
  Profile profile = {.assets = {"f199", "f166", "f133", "f100", "gone"}, .scenarios = {}};
  profile.scenarios.push_back(
      {.name = "boot", .runs = {{.trace = "t", .assets = {0, 1, 4, 2, 3}}}});
  return profile;
}

TEST(OneImage, lays_what_is_read_as_it_is_read_and_nothing_else) {
  const Layout layout =
      lay_in_one_image(backwards(), files(100), {.drive = builtin_profiles().front()});
  EXPECT_THAT(order_of(layout), testing::ElementsAre("f199", "f166", "f133", "f100"));
  ASSERT_EQ(layout.packs.size(), 1);
  EXPECT_TRUE(check_layout(layout, "the layout"));
}

TEST(OneImage, knows_who_reads_what) {
  Profile profile = backwards();
  profile.scenarios.push_back({.name = "menu", .runs = {{.trace = "u", .assets = {3, 2}}}});
  const Layout layout =
      lay_in_one_image(profile, files(100), {.drive = builtin_profiles().front()});
  for (const LaidAsset& asset : layout.packs.front().assets) {
    const bool is_of_both = asset.path == "f100" || asset.path == "f133";
    EXPECT_EQ(layout.scenario_sets[asset.scenario_set],
              is_of_both ? std::vector<uint32_t>({0, 1}) : std::vector<uint32_t>({0}))
        << asset.path;
  }
}

TEST(OneImage, of_a_profile_that_reads_nothing_is_empty) {
  EXPECT_TRUE(
      order_of(lay_in_one_image({}, files(3), {.drive = builtin_profiles().front()})).empty());
}

}  // namespace
}  // namespace seekless
