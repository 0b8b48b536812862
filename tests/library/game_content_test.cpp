#include "packer/library/game_content.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

std::string of_kilobytes(std::string front, size_t kilobytes) {
  front.resize(kilobytes * 1000, 'x');
  return front;
}

TEST(GameContent, is_known_by_its_bytes) {
  const TestFolder folder;
  folder.write("game/a.pak", of_kilobytes(std::string("PACK\x0c\0\0\0\x40\0\0\0", 12), 50));
  folder.write("game/b.dat", of_kilobytes("GDPC", 20));
  folder.write("game/c.vpk", of_kilobytes("\x34\x12\xAA\x55", 10));
  folder.write("game/sub/d.pak.txt", "loose");
  folder.write("game/traces/start.1.trace", of_kilobytes("recording", 100));
  const GameContent content = look_at_content(folder.path("game"));
  EXPECT_EQ(content.files, 4U);
  EXPECT_EQ(content.bytes, 80'005U);
  EXPECT_TRUE(content.is_whole);
  ASSERT_EQ(content.kinds.size(), 4U);
  EXPECT_EQ(content.kinds[0].what, "Quake's .pak");
  EXPECT_EQ(content.kinds[1].what, "Godot's .pck");
  EXPECT_EQ(content.kinds[2].what, "Valve's VPK");
  EXPECT_EQ(name_of(content.kinds[3].kind), "loose");
  EXPECT_EQ(content.kinds[3].bytes, 5U);
}

TEST(GameContent, of_unreals_data_files_is_known_by_their_directory) {
  const TestFolder folder;
  folder.write("game/pak.utoc", of_kilobytes("-==--==--==--==-", 5));
  folder.write("game/pak.ucas", of_kilobytes("", 50));
  folder.write("game/pak_s1.ucas", of_kilobytes("", 60));
  const GameContent content = look_at_content(folder.path("game"));
  ASSERT_EQ(content.kinds.size(), 1U);
  EXPECT_EQ(content.kinds[0].what, "Unreal's IoStore");
  EXPECT_EQ(content.kinds[0].bytes, 115'000U);
}

TEST(GameContent, follows_no_links) {
  const TestFolder folder;
  folder.write("outside/file", of_kilobytes("", 10));
  folder.write("game/file", "12345");
  std::error_code error;
  std::filesystem::create_directory_symlink(folder.path("outside"), folder.path("game/link"),
                                            error);
  std::filesystem::create_directory_symlink(folder.path("game"), folder.path("game/self"), error);
  EXPECT_EQ(look_at_content(folder.path("game")).bytes, 5U);
}

TEST(GameContent, stops_at_its_limit) {
  const TestFolder folder;
  for (int i = 0; i < 20; ++i) folder.write("game/" + std::to_string(i), "1");
  const GameContent content = look_at_content(folder.path("game"), {.most_entries = 10});
  EXPECT_FALSE(content.is_whole);
  EXPECT_EQ(content.files, 10U);
}

TEST(GameContent, of_no_folder_is_empty) {
  const GameContent content = look_at_content("/nowhere/at/all");
  EXPECT_EQ(content.files, 0U);
  EXPECT_NE(content.unread, "");
}

}  // namespace
}  // namespace seekless
