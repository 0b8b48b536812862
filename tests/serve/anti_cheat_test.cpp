#include "packer/serve/anti_cheat.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

TEST(AntiCheat, is_known_by_its_files_whatever_their_case) {
  EXPECT_EQ(anti_cheat_of_name("EasyAntiCheat_EOS_Setup.exe"), "Easy Anti-Cheat");
  EXPECT_EQ(anti_cheat_of_name("BEClient_x64.dll"), "BattlEye");
  EXPECT_EQ(anti_cheat_of_name("VGK.SYS"), "Riot Vanguard");
  for (const char* name : {"", "game.exe", "data.pak", "beach.png", "vgc", "Anti"})
    EXPECT_EQ(anti_cheat_of_name(name), std::nullopt) << name;
}

TEST(AntiCheat, is_found_beside_the_game_and_its_program) {
  const TestFolder folder;
  folder.write("game/bin/game.exe", "");
  EXPECT_EQ(anti_cheat_beside(folder.path("game"), "game.exe").found, std::nullopt);
  folder.write("game/bin/BattlEye/BEService.exe", "");
  EXPECT_EQ(anti_cheat_beside(folder.path("game"), "game.exe").found, "BattlEye (bin/BattlEye)");
  folder.write("other/start_protected_game.exe", "");
  EXPECT_EQ(anti_cheat_beside(folder.path("none"), folder.path("other/game.exe")).found,
            "Easy Anti-Cheat (start_protected_game.exe)");
  EXPECT_EQ(anti_cheat_beside(folder.path("none"), "D:/x/cs2.exe").found,
            "Valve Anti-Cheat (cs2.exe)");
}

TEST(AntiCheat, that_lies_deep_in_data_is_none) {
  const TestFolder folder;
  folder.write("a/b/c/d/battleye.txt", "");
  EXPECT_EQ(anti_cheat_beside(folder.path(), "game.exe").found, std::nullopt);
}

TEST(AntiCheat, is_found_deep_beside_programs) {
  const TestFolder folder;
  folder.write("Quest/Binaries/Win64/x64/BEClient.dll", "");
  EXPECT_EQ(anti_cheat_beside(folder.path(), folder.path("launcher.exe")).found,
            "BattlEye (Quest/Binaries/Win64/x64/BEClient.dll)");
}

TEST(AntiCheat, may_lie_where_nobody_could_look) {
  const TestFolder folder;
  folder.write("game/a/game.exe", "");
  const std::string program = folder.path("game/a/game.exe");
  EXPECT_EQ(anti_cheat_beside(folder.path("game"), program).unseen, "");
  EXPECT_EQ(anti_cheat_beside(folder.path("none"), program).unseen, folder.path("none"));
  for (int i = 0; i < 2'000; ++i) folder.write("game/" + std::to_string(i) + "/data", "");
  EXPECT_EQ(anti_cheat_beside(folder.path("game"), program).unseen, folder.path("game"));
}

TEST(AntiCheat, is_looked_for_in_games_of_many_folders) {
  const TestFolder folder;
  for (int i = 0; i < 300; ++i) folder.write("mods/" + std::to_string(i) + "/a/data", "");
  for (int i = 0; i < 300; ++i) folder.write(std::to_string(i) + "/data", "");
  EXPECT_EQ(anti_cheat_beside(folder.path(), "").found, std::nullopt);
  EXPECT_EQ(anti_cheat_beside(folder.path(), "").unseen, "");
  folder.write("z/game/Binaries/BEClient.dll", "");
  EXPECT_EQ(anti_cheat_beside(folder.path(), "").found, "BattlEye (z/game/Binaries/BEClient.dll)");
  folder.write("299/faceit.dll", "");
  EXPECT_EQ(anti_cheat_beside(folder.path(), "").found, "FACEIT (299/faceit.dll)");
}

}  // namespace
}  // namespace seekless
