#include "packer/emit/internal/file_order.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

LaidAsset asset_of(uint32_t source, uint32_t scenario_set, uint32_t entry = kWholeSource) {
  return {.path = "any", .source = source, .entry = entry, .scenario_set = scenario_set};
}

// Makes two scenarios, with three loose files, one archive of which two entries are read, and one
// file elsewhere.
Layout some_layout() {
  Layout layout;
  layout.sources = {{.path = "/no/game/a"}, {.path = "/no/game/b"},     {.path = "/no/game/d/c"},
                    {.path = "/no/game/z"}, {.path = "/no/gamesome/x"}, {.path = "/no/game/gone"}};
  layout.scenarios = {{.name = "boot"}, {.name = "menu"}};
  layout.scenario_sets = {{}, {0}, {1}, {0, 1}};
  layout.packs = {
      {.name = "common", .assets = {asset_of(2, 3), asset_of(3, 3, 7), asset_of(4, 3)}},
      {.name = "boot",
       .kind = PackKind::sub,
       .assets = {asset_of(1, 1), asset_of(2, 1), asset_of(3, 1, 8), asset_of(5, 1)}},
      {.name = "menu", .kind = PackKind::sub, .assets = {asset_of(1, 2)}},
      {.name = "cold", .kind = PackKind::cold, .assets = {asset_of(0, 0)}},
  };
  return layout;
}

const FolderContents kGame = {.folders = {"d"}, .files = {"a", "b", "d/c", "new", "z"}};

// Returns a path with a drive, on systems with drives.
std::string game_folder() {
  return canonical_path("/no/game");
}

TEST(FileOrder, has_each_file_once_where_the_layout_has_it_first) {
  const auto order = order_files(some_layout(), game_folder(), kGame, "");
  ASSERT_TRUE(order);
  EXPECT_THAT(order->read, ElementsAre("d/c", "z", "b"));
  EXPECT_THAT(order->unread, ElementsAre("a", "new"));
  EXPECT_THAT(order->folders, ElementsAre("d"));
  EXPECT_EQ(order->copies, 2) << "of d/c and b; further entries of an archive are none";
  EXPECT_EQ(order->archives, 1);
}

TEST(FileOrder, tells_what_is_read_elsewhere) {
  const auto order = order_files(some_layout(), game_folder(), kGame, "");
  ASSERT_TRUE(order);
  EXPECT_EQ(order->elsewhere.count, 2);
  EXPECT_EQ(order->elsewhere.first, canonical_path("/no/gamesome/x"))
      << "no part of a name is a folder";
}

TEST(FileOrder, of_one_scenario_leaves_to_others_what_they_alone_read) {
  const auto order = order_files(some_layout(), game_folder(), kGame, "menu");
  ASSERT_TRUE(order);
  EXPECT_THAT(order->read, ElementsAre("d/c", "z", "b"));
  EXPECT_EQ(order->copies, 0);
  EXPECT_EQ(order->elsewhere.count, 1);
}

TEST(FileOrder, refuses_a_scenario_that_nobody_knows) {
  const auto order = order_files(some_layout(), game_folder(), kGame, "credits");
  ASSERT_FALSE(order);
  EXPECT_EQ(order.error().kind, ErrorKind::usage);
  EXPECT_THAT(order.error().message, HasSubstr("'credits'"));
}

TEST(FileOrder, of_no_layout_is_everything_unread) {
  const auto order = order_files({}, game_folder(), kGame, "");
  ASSERT_TRUE(order);
  EXPECT_THAT(order->read, IsEmpty());
  EXPECT_EQ(order->unread, kGame.files);
}

TEST(FileOrder, of_the_root_folder_has_paths_without_a_slash) {
  Layout layout;
  layout.sources = {{.path = "/nothing-here"}};
  layout.scenarios = {{.name = "boot"}};
  layout.scenario_sets = {{}, {0}};
  layout.packs = {{.name = "boot", .kind = PackKind::sub, .assets = {asset_of(0, 1)}}};
  const auto order = order_files(layout, canonical_path("/"), {.files = {"nothing-here"}}, "");
  ASSERT_TRUE(order);
  EXPECT_THAT(order->read, ElementsAre("nothing-here"));
}

}  // namespace
}  // namespace seekless
