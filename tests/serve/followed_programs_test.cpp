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
  for (const char* first : {"store/Steam.exe", "store/helper.exe", "windows/system32/cmd.exe"}) {
    FollowedPrograms programs({folder.path("game")});
    programs.begins(folder.path(first), folder.path("windows"));
    EXPECT_FALSE(programs.follows(folder.path("store/games/Rush/rush.exe"))) << first;
    EXPECT_FALSE(programs.follows(folder.path("windows/system32/other.exe"))) << first;
  }
  FollowedPrograms watched({folder.path("store/games/Rush")});
  watched.begins(folder.path("store/Steam.exe"), folder.path("windows"));
  EXPECT_TRUE(watched.follows(folder.path("store/games/Rush/rush.exe")));
}

}  // namespace
}  // namespace seekless
