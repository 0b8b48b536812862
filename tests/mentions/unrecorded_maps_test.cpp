#include "packer/mentions/unrecorded_maps.h"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mentions/game_content.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr uint64_t kAskBytes = 600'000;

// Maps "m0" to "m5". Each names two textures of its own by path, and each texture has a normal map
// beside it. Each map also names a sound, which no load reads. All maps read one more file.
struct MappedGame {
  std::map<std::string, std::string> files;
  Content content;
  Profile profile;

  explicit MappedGame(int maps, int recorded, uint64_t size_bytes = 1000) {
    std::vector<std::string> paths = {"ui/font.png"};
    for (int map = 0; map < maps; ++map) {
      std::string& bytes = files[map_path(map)];
      for (int i = 0; i < 2; ++i) {
        const std::string stem = fmt::format("textures/t{}{}", map, i);
        bytes += stem + ".png sound/s" + std::to_string(map) + ".ogg ";
        paths.push_back(stem + ".png");
        paths.push_back(stem + "_norm.png");
      }
      paths.push_back(map_path(map));
      paths.push_back(fmt::format("sound/s{}.ogg", map));
    }
    content = content_of(paths, size_bytes);
    for (const Asset& asset : content.assets) profile.assets.emplace_back(asset.path);
    for (int map = 0; map < recorded; ++map) {
      ProfiledScenario& scenario = profile.scenarios.emplace_back();
      scenario.name = fmt::format("map/m{}", map);
      std::vector<uint32_t> run = {number_of(content, "ui/font.png"),
                                   number_of(content, map_path(map))};
      for (const std::string& path : textures_of(map)) run.push_back(number_of(content, path));
      scenario.runs.push_back({.trace = "trace", .assets = std::move(run)});
    }
  }

  static std::string map_path(int map) { return fmt::format("maps/m{}.bsp", map); }
  static std::vector<std::string> textures_of(int map) {
    std::vector<std::string> paths;
    for (int i = 0; i < 2; ++i)
      for (const char* end : {".png", "_norm.png"})
        paths.push_back(fmt::format("textures/t{}{}{}", map, i, end));
    return paths;
  }

  UnrecordedMaps find(size_t threads = 2) const {
    const auto read = [&](uint32_t asset) -> Result<std::string> {
      const auto found = files.find(std::string(content.assets[asset].path));
      return found != files.end() ? found->second : std::string();
    };
    return find_unrecorded_maps(profile, content, kAskBytes, read, threads);
  }
};

TEST(UnrecordedMaps, read_what_their_files_mention_as_recorded_ones_do) {
  const MappedGame game(6, 4);
  const UnrecordedMaps found = game.find();
  ASSERT_EQ(found.maps.size(), 2U);
  EXPECT_EQ(found.maps.front().scenario, "map/m4");
  std::vector<std::string> expected = MappedGame::textures_of(4);
  expected.insert(expected.begin(), "maps/m4.bsp");
  EXPECT_EQ(paths_of(game.content, found.maps.front().assets), expected);
}

TEST(UnrecordedMaps, say_what_would_be_known_of_recorded_ones) {
  const MappedGame game(6, 4);
  const UnrecordedMaps found = game.find();
  ASSERT_EQ(found.left_out.size(), 4U);
  EXPECT_EQ(found.left_out[2].scenario, "map/m2");
  EXPECT_THAT(paths_of(game.content, found.left_out[2].assets), Contains("textures/t21_norm.png"));
  EXPECT_THAT(paths_of(game.content, found.left_out[2].assets), Not(Contains("sound/s2.ogg")));
}

TEST(UnrecordedMaps, are_the_same_with_any_number_of_threads) {
  const MappedGame game(6, 4);
  EXPECT_EQ(game.find(1), game.find(8));
}

// If four of four files of a kind were read, the chance that the next one isn't read is still one
// in thirteen.
TEST(UnrecordedMaps, dont_take_along_what_is_large_for_its_chance) {
  const UnrecordedMaps found = MappedGame(6, 4, 100'000'000).find();
  ASSERT_EQ(found.maps.size(), 2U);
  EXPECT_THAT(found.maps.front().assets, IsEmpty());
}

TEST(UnrecordedMaps, are_none_where_too_few_were_recorded_or_all) {
  EXPECT_EQ(MappedGame(6, 2).find(), UnrecordedMaps());
  EXPECT_EQ(MappedGame(4, 4).find(), UnrecordedMaps());
  EXPECT_EQ(MappedGame(4, 0).find(), UnrecordedMaps());
}

TEST(UnrecordedMaps, of_files_that_cant_be_read_bring_only_their_own) {
  const MappedGame game(6, 4);
  const auto broken = [](uint32_t) -> Result<std::string> {
    return failed({.file = "game.pk3", .expected = "an entry", .found = "noise"});
  };
  const UnrecordedMaps found =
      find_unrecorded_maps(game.profile, game.content, kAskBytes, broken, 2);
  ASSERT_EQ(found.maps.size(), 2U);
  EXPECT_THAT(paths_of(game.content, found.maps.front().assets), ElementsAre("maps/m4.bsp"));
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_THAT(found.warnings.front(), EndsWith("game.pk3: expected an entry, found noise"));
  EXPECT_THAT(game.find().warnings, IsEmpty());
}

TEST(UnrecordedMaps, are_a_thousand_at_the_most_and_that_is_said) {
  const UnrecordedMaps found = MappedGame(1006, 4).find();
  EXPECT_EQ(found.maps.size(), 1000U);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_THAT(found.warnings.front(), StartsWith("content: it has 2 more maps"));
}

}  // namespace
}  // namespace seekless
