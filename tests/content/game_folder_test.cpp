#include "packer/content/game_folder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/host/own_folder.h"
#include "packer/host/whole_files.h"

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
  for (const std::string& shared : {home + "/.local/share", std::string("/usr/local/share"),
                                    std::string("/home/other"), std::string("C:/Users/other")})
    EXPECT_EQ(game_folder(of_files({shared + "/a/1", shared + "/b/2"})), "") << shared;
}

TEST(GameFolder, of_a_recording_of_windows_is_found_too) {
  EXPECT_EQ(game_folder(of_files({R"(C:\Games\q\a)", R"(C:\Games\q\b\c)"})), "C:/Games/q");
  EXPECT_EQ(game_folder(of_files({R"(C:\Program Files\q\a)", R"(C:\Program Files\r\c)"})), "");
}

TEST(GameFolder, that_a_manifest_names_may_be_a_volume_of_its_own) {
  EXPECT_TRUE(may_be_game_s("/g/quake"));
  EXPECT_FALSE(may_be_game_s("/"));
  EXPECT_TRUE(may_be_game_s("/dev/shm"));
}

// /dev/shm is a file system of its own on nearly every machine.
TEST(GameFolder, is_no_whole_disk) {
  if (!identity_of("/dev/shm") || identity_of("/dev/shm")->device == identity_of("/dev")->device)
    GTEST_SKIP() << "/dev/shm is no file system of its own here";
  EXPECT_EQ(game_folder(of_files({"/dev/shm/a/1", "/dev/shm/b/2"})), "");
  EXPECT_EQ(game_folder(of_files({"/dev/shm/a/1", "/dev/shm/a/2"})), "/dev/shm/a");
}

}  // namespace
}  // namespace seekless
