#include "packer/mentions/internal/map_files.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mentions/game_content.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Each map reads the first assets, and those with a name like its own.
std::vector<RecordedMap> recorded(const Content& content, const std::vector<std::string>& names,
                                  const std::string& beside = "") {
  std::vector<RecordedMap> maps;
  for (const std::string& name : names) {
    RecordedMap& map = maps.emplace_back(RecordedMap{name, {}});
    for (uint32_t asset = 0; asset < content.assets.size(); ++asset) {
      const std::string path(content.assets[asset].path);
      if (path.find(name) != std::string::npos || path == beside) map.assets.push_back(asset);
    }
  }
  return maps;
}

TEST(MapFiles, are_found_where_recorded_maps_have_theirs) {
  const Content content = content_of({"maps/hill.bsp", "maps/lake.bsp", "maps/Moor.bsp",
                                      "maps/rush.bsp", "maps/readme.txt", "other/dune.bsp"});
  const auto files = MapFiles::find(content, recorded(content, {"hill", "lake", "rush"}));
  ASSERT_TRUE(files);
  EXPECT_THAT(files->others(), ElementsAre("Moor"));
  ASSERT_EQ(files->of("Moor").size(), 1U);
  EXPECT_EQ(content.assets[files->of("Moor").front().asset].path, "maps/Moor.bsp");
  EXPECT_EQ(files->of("Moor").front().kind, "own maps bsp");
  EXPECT_THAT(files->of("nowhere"), IsEmpty());
}

TEST(MapFiles, may_lie_in_a_folder_of_the_maps_name) {
  const Content content =
      content_of({"tracks/abyss/a.png", "tracks/abyss/scene.xml", "tracks/cave/scene.xml",
                  "tracks/hill/scene.xml", "tracks/lake/scene.xml", "tracks/shared.png"});
  const auto files = MapFiles::find(content, recorded(content, {"abyss", "cave", "hill"}));
  ASSERT_TRUE(files);
  EXPECT_THAT(files->others(), ElementsAre("lake"));
  EXPECT_EQ(files->of("abyss").size(), 2U);
}

TEST(MapFiles, arent_known_if_maps_have_none_of_their_own) {
  const Content content = content_of({"data/1.bin", "data/2.bin", "data/all.bin"});
  EXPECT_FALSE(MapFiles::find(content, recorded(content, {"hill", "lake", "rush"}, "data/1.bin")));
  EXPECT_FALSE(MapFiles::find(content, {}));
  // Only one map of three has such a file, so it is chance.
  const Content one = content_of({"maps/hill.bsp", "maps/lake.bsp"});
  EXPECT_FALSE(MapFiles::find(one, recorded(one, {"hill", "moor", "rush"})));
}

TEST(MapFiles, are_the_same_in_capitals) {
  const Content content = content_of({"MAPS/MOOR.BSP", "maps/hill.bsp", "maps/lake.bsp"});
  const std::vector<RecordedMap> maps = {{"hill", {number_of(content, "maps/hill.bsp")}},
                                         {"lake", {number_of(content, "maps/lake.bsp")}}};
  const auto files = MapFiles::find(content, maps);
  ASSERT_TRUE(files);
  EXPECT_THAT(files->others(), ElementsAre("MOOR"));
}

TEST(MapFiles, that_are_hidden_name_no_map) {
  const Content content = content_of({"maps/._hill.bsp", "maps/._moor.bsp", "maps/.moor.bsp",
                                      "maps/hill.bsp", "maps/lake.bsp", "maps/moor.bsp"});
  const std::vector<RecordedMap> maps = {{"hill", {number_of(content, "maps/hill.bsp")}},
                                         {"lake", {number_of(content, "maps/lake.bsp")}}};
  const auto files = MapFiles::find(content, maps);
  ASSERT_TRUE(files);
  EXPECT_THAT(files->others(), ElementsAre("moor"));
}

TEST(MapFiles, that_every_map_reads_tell_nothing) {
  const Content content = content_of({"shots/hill.png", "shots/lake.png", "shots/moor.png"});
  std::vector<RecordedMap> maps = {{"hill", {0, 1, 2}}, {"lake", {0, 1, 2}}, {"rush", {0, 1, 2}}};
  EXPECT_FALSE(MapFiles::find(content, maps));
}

}  // namespace
}  // namespace seekless
