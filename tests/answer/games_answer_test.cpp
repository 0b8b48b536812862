#include "packer/answer/games_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ListedGame game_of(std::string name, uint64_t files, GameWay way) {
  ListedGame one;
  one.game = {.name = std::move(name), .folder = "/games/a game"};
  one.disk.is_rotational = true;
  one.content = {.files = files, .bytes = files * 1000};
  one.gain = {.way = way, .why = "because", .where = "in a terminal"};
  if (way != GameWay::none) one.gain.command = "seekless play";
  return one;
}

std::vector<std::string> names_of(const std::vector<ListedGame>& games) {
  std::vector<std::string> names;
  for (const ListedGame& one : games) names.push_back(one.game.name);
  return names;
}

TEST(GamesAnswer, BeginsWithWhatADiskReadsLongest) {
  std::vector<ListedGame> games = {
      game_of("a", 10'000, GameWay::none), game_of("b", 100, GameWay::play),
      game_of("c", 9'000, GameWay::lay_out), game_of("d", 100, GameWay::play),
      game_of("e", 50, GameWay::playing)};
  sort_games(games);
  EXPECT_THAT(names_of(games), ElementsAre("c", "b", "d", "a", "e"));
}

TEST(GamesAnswer, ComparesAllWaysByWhatWasRecorded) {
  GamesAnswer answer = {.games = {game_of("a", 100, GameWay::play)}, .faults = {}};
  EXPECT_THAT(to_text(answer, 80), Not(HasSubstr("advise")));
  answer.games.front().known.recordings = {"/rec/start.1.trace", "/rec/it's.trace"};
  EXPECT_THAT(
      to_text(answer, 80),
      HasSubstr("seekless advise '/games/a game' /rec/start.1.trace '/rec/it'\\''s.trace'"));
}

}  // namespace
}  // namespace seekless
