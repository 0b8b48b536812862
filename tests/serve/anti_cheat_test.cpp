#include "packer/serve/anti_cheat.h"

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
  EXPECT_EQ(anti_cheat_beside(folder.path("game"), "game.exe"), std::nullopt);
  folder.write("game/bin/BattlEye/BEService.exe", "");
  EXPECT_EQ(anti_cheat_beside(folder.path("game"), "game.exe"), "BattlEye (bin/BattlEye)");
  folder.write("other/start_protected_game.exe", "");
  EXPECT_EQ(anti_cheat_beside(folder.path("none"), folder.path("other/game.exe")),
            "Easy Anti-Cheat (start_protected_game.exe)");
  EXPECT_EQ(anti_cheat_beside(folder.path("none"), "D:/x/cs2.exe"), "Valve Anti-Cheat (cs2.exe)");
}

TEST(AntiCheat, that_lies_deep_in_data_is_none) {
  const TestFolder folder;
  folder.write("a/b/c/d/battleye.txt", "");
  EXPECT_EQ(anti_cheat_beside(folder.path(), "game.exe"), std::nullopt);
}

}  // namespace
}  // namespace seekless
