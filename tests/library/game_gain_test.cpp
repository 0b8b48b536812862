#include "packer/library/game_gain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;

constexpr uint64_t kLarge = 5'000'000'000;

GameGain gain(const FoundGame& game, const GameKnown& known = {}, std::optional<bool> turns = true,
              bool can_lay_out = true, uint64_t bytes = kLarge) {
  return gain_of(game, {.is_rotational = turns}, {.files = 10, .bytes = bytes}, known, can_lay_out);
}

TEST(GameGain, is_nothing_without_a_hard_disk_or_for_a_small_game) {
  EXPECT_EQ(gain({}, {}, false).way, GameWay::none);
  EXPECT_EQ(gain({}, {}, true, true, 1000).way, GameWay::none);
  EXPECT_EQ(gain_of({}, {.is_rotational = true}, {}, {}, true).way, GameWay::none);
}

TEST(GameGain, has_a_command_for_each_launcher) {
  const FoundGame steam = {.launcher = Launcher::steam, .folder = "/g"};
  EXPECT_EQ(gain(steam).command, "seekless play --auto --steam %command%");
  const FoundGame heroic = {.launcher = Launcher::heroic, .folder = "/my games/a"};
  EXPECT_EQ(gain(heroic).command, "seekless play --auto '/my games/a' --");
  const FoundGame lutris = {.launcher = Launcher::lutris, .folder = "/g", .beside = {"/p"}};
  EXPECT_EQ(gain(lutris).command, "seekless play --auto /g /p --");
  const FoundGame debian = {.launcher = Launcher::debian,
                            .folder = "/usr/share/games/etr",
                            .command = {"/usr/games/etr"}};
  EXPECT_EQ(gain(debian).command, "seekless play --auto /usr/share/games/etr -- /usr/games/etr");
  const FoundGame flatpak = {.launcher = Launcher::steam,
                             .is_flatpak = true,
                             .folder = "/g",
                             .command = {"flatpak", "run", "s", "-applaunch", "2"}};
  EXPECT_EQ(gain(flatpak).command, "seekless play --auto /g -- flatpak run s -applaunch 2");
  EXPECT_THAT(gain(flatpak).where, HasSubstr("closed"));
}

TEST(GameGain, tells_a_program_that_is_unknown_from_one_that_is_called_game) {
  const FoundGame unknown = {.launcher = Launcher::gog, .folder = "/g"};
  EXPECT_EQ(gain(unknown).command, "seekless play --auto /g -- GAME");
  EXPECT_TRUE(gain(unknown).needs_program);
  const FoundGame known = {.launcher = Launcher::bottles,
                           .folder = "/g",
                           .command = {"bottles-cli", "run", "-b", "Games", "-p", "GAME"}};
  EXPECT_FALSE(gain(known).needs_program);
}

TEST(GameGain, follows_what_is_known) {
  const FoundGame game = {.folder = "/g"};
  EXPECT_EQ(gain(game, {.loads = 1}).command, "seekless play --lay-out /g");
  EXPECT_EQ(gain(game, {.loads = 1, .is_laid_out = true}).way, GameWay::playing);
  EXPECT_THAT(gain(game, {}, std::nullopt).why, HasSubstr("doesn't tell"));
  EXPECT_EQ(gain(game, {.loads = 1}, true, false).way, GameWay::playing);
}

TEST(GameGain, quotes_names_that_a_shell_would_run) {
  const FoundGame evil = {
      .launcher = Launcher::gog, .folder = "/a'; rm -rf ~; '", .command = {"/a b"}};
  EXPECT_EQ(gain(evil).command, "seekless play --auto '/a'\\''; rm -rf ~; '\\''' -- '/a b'");
}

}  // namespace
}  // namespace seekless
