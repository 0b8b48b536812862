#include "packer/serve/internal/followed_programs.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr const char* kSystem = "C:/Windows";

TEST(FollowedPrograms, lie_in_a_watched_folder_or_beside_the_first_program) {
  const TestFolder folder;
  for (const char* file : {"game/game.exe", "game/bin/crash.exe", "launcher/launcher.exe",
                           "launcher/browser/page.exe", "elsewhere/other.exe"})
    folder.write(file, "");
  FollowedPrograms programs({folder.path("game")});
  EXPECT_FALSE(programs.follows(folder.path("launcher/launcher.exe")));
  programs.begins(folder.path("launcher/launcher.exe"), kSystem);
  EXPECT_TRUE(programs.follows(folder.path("game/game.exe")));
  EXPECT_TRUE(programs.follows(folder.path("launcher/browser/page.exe")));
  EXPECT_FALSE(programs.follows(folder.path("elsewhere/other.exe")));
}

TEST(FollowedPrograms, are_none_with_protection_around_them) {
  const TestFolder folder;
  folder.write("launcher/launcher.exe", "");
  folder.write("launcher/games/Quest/Binaries/Win64/quest.exe", "");
  folder.write("launcher/games/Quest/EasyAntiCheat/Setup.exe", "");
  folder.write("launcher/games/Rush/rush.exe", "");
  folder.write("launcher/games/Race/Game/BattlEye/BEClient.dll", "");
  folder.write("launcher/games/Race/race.exe", "");
  folder.write("launcher/games/Strike/cs2.exe", "");
  FollowedPrograms programs({folder.path("game")});
  programs.begins(folder.path("launcher/launcher.exe"), kSystem);
  EXPECT_FALSE(programs.follows(folder.path("launcher/games/Quest/Binaries/Win64/quest.exe")));
  EXPECT_FALSE(programs.follows(folder.path("launcher/games/Race/race.exe")));
  EXPECT_FALSE(programs.follows(folder.path("launcher/games/Strike/cs2.exe")));
  EXPECT_TRUE(programs.follows(folder.path("launcher/games/Rush/rush.exe")));
}

TEST(FollowedPrograms, are_none_where_nobody_could_look) {
  const TestFolder folder;
  FollowedPrograms programs({folder.path("game")});
  EXPECT_FALSE(programs.follows(folder.path("game/missing/game.exe")));
}

TEST(FollowedPrograms, beside_a_store_or_in_the_systems_folder_are_others) {
  const TestFolder folder;
  folder.write("store/Steam.exe", "");
  folder.write("store/games/Rush/rush.exe", "");
  folder.write("windows/system32/cmd.exe", "");
  folder.write("windows/system32/other.exe", "");
  for (const char* first : {"store/helper.exe", "windows/system32/cmd.exe"}) {
    FollowedPrograms programs({folder.path("game")});
    EXPECT_FALSE(programs.begins(folder.path(first), folder.path("windows"))) << first;
    EXPECT_FALSE(programs.follows(folder.path("store/games/Rush/rush.exe"))) << first;
    EXPECT_FALSE(programs.follows(folder.path("windows/system32/other.exe"))) << first;
  }
  FollowedPrograms watched({folder.path("store/games/Rush")});
  watched.begins(folder.path("store/helper.exe"), folder.path("windows"));
  EXPECT_TRUE(watched.follows(folder.path("store/games/Rush/rush.exe")));
}

TEST(FollowedPrograms, that_are_launchers_or_protected_may_not_even_be_the_first) {
  const TestFolder folder;
  folder.write("store/Steam.exe", "");
  folder.write("Quest/Binaries/Win64/quest.exe", "");
  folder.write("Quest/Content/data.pak", "");
  folder.write("Rush/rush.exe", "");
  FollowedPrograms programs({folder.path("Quest/Content"), folder.path("store")});
  const auto why_not = [&](const char* first) {
    return programs.begins(folder.path(first), kSystem).value_or("");
  };
  EXPECT_EQ(why_not("store/Steam.exe"),
            "a launcher, which also starts games with protection against cheating");
  EXPECT_FALSE(programs.follows(folder.path("store/Steam.exe")));
  EXPECT_EQ(why_not("Quest/Binaries/Win64/quest.exe"), "");
  EXPECT_TRUE(programs.follows(folder.path("Quest/Binaries/Win64/quest.exe")));
  // An updater may install it meanwhile.
  folder.write("Quest/EasyAntiCheat/Setup.exe", "");
  EXPECT_EQ(why_not("Quest/Binaries/Win64/quest.exe"), "Easy Anti-Cheat (EasyAntiCheat)");
  EXPECT_FALSE(programs.follows(folder.path("Quest/Binaries/Win64/quest.exe")));
  EXPECT_EQ(why_not("Rush/rush.exe"), "");
}

TEST(FollowedPrograms, arent_protected_by_what_another_game_has_installed_beside_them) {
  const TestFolder folder;
  folder.write("Program Files (x86)/EasyAntiCheat/EasyAntiCheat.exe", "");
  folder.write("Program Files (x86)/Rush/bin/rush.exe", "");
  FollowedPrograms programs({folder.path("Program Files (x86)/Rush")});
  EXPECT_FALSE(programs.begins(folder.path("Program Files (x86)/Rush/bin/rush.exe"), kSystem));
  EXPECT_TRUE(programs.follows(folder.path("Program Files (x86)/Rush/bin/rush.exe")));
}

}  // namespace
}  // namespace seekless
