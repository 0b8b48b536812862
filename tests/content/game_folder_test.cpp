#include "packer/content/game_folder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/host/own_folder.h"

namespace seekless {
namespace {

Content of_files(const std::vector<std::string>& paths) {
  Content content;
  for (const std::string& path : paths) {
    content.sources.emplace_back();
    content.sources.back().path = content.paths.add(path);
  }
  return content;
}

TEST(GameFolder, is_the_deepest_that_nearly_all_files_lie_in) {
  EXPECT_EQ(game_folder(of_files({"/g/quake/a/1", "/g/quake/b/2"})), "/g/quake");
  EXPECT_EQ(game_folder(of_files({"/g/quake/a/1", "/g/quake/a/2"})), "/g/quake/a");
  std::vector<std::string> files(19, "/g/quake/data");
  files.emplace_back("/home/me/.config/quake");
  EXPECT_EQ(game_folder(of_files(files)), "/g/quake");
}

TEST(GameFolder, is_no_folder_that_many_games_share) {
  EXPECT_EQ(game_folder(of_files({})), "");
  EXPECT_EQ(game_folder(of_files({"/g/1", "/h/2"})), "");
  EXPECT_EQ(game_folder(of_files({"/usr/share/a/1", "/usr/share/b/2"})), "");
  EXPECT_EQ(game_folder(of_files({"/usr/share/games/a/1", "/usr/share/games/b/2"})), "");
  const std::string home = home_folder();
  EXPECT_EQ(game_folder(of_files({home + "/.config/a", home + "/quake/b"})), "");
}

}  // namespace
}  // namespace seekless
