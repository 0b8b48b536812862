#include "packer/serve/internal/served_folders.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(ServedFolders, name_files_relative_to_the_game) {
  EXPECT_EQ(relative_to_game("/g/game", "/g/game/data/a"), "data/a");
  EXPECT_EQ(relative_to_game("/g/game", "/g/game2/a"), "../game2/a");
  EXPECT_EQ(relative_to_game("/g/game", "/usr/lib/wine/a"), "../../usr/lib/wine/a");
  EXPECT_EQ(relative_to_game("/g/game/bin", "/g/game/a"), "../a");
}

TEST(ServedFolders, a_folder_keeps_the_slash_at_its_end) {
  EXPECT_EQ(relative_to_game("/games/quest", "/games/quest/maps/"), "maps/");
  EXPECT_EQ(relative_to_game("/games/quest", "/games/prefix/drive_c/"), "../prefix/drive_c/");
  EXPECT_EQ(relative_to_game("/games/quest", "/games/prefix//"), "../prefix/");
}

}  // namespace
}  // namespace seekless
