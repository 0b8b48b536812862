#include "packer/library/internal/game_collector.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/own_folder.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

FoundGame game_in(const std::string& folder) {
  return {.name = "Quake", .folder = folder, .manifest = "m"};
}

TEST(GameCollector, takes_no_shared_or_missing_folder_beside_a_game) {
  const TestFolder folder;
  folder.write("quake/a", "x");
  folder.write("prefix/a", "x");
  GameCollector collector;
  FoundGame game = game_in(folder.path("quake"));
  game.beside = {home_folder(), folder.path("prefix"), folder.path("gone")};
  collector.add(std::move(game));
  const FoundGames found = std::move(collector).take();
  ASSERT_THAT(found.games, SizeIs(1));
  EXPECT_THAT(found.games[0].beside, ElementsAre(canonical_path(folder.path("prefix"))));
  ASSERT_THAT(found.faults, SizeIs(1)) << "Wine makes a prefix when the game is started first";
  EXPECT_THAT(found.faults[0].message, HasSubstr("which holds more than a game"));
}

TEST(GameCollector, counts_each_folder_once_towards_the_most_games) {
  const TestFolder folder;
  for (const std::string name : {"a", "b", "c"}) folder.write(name + "/file", "x");
  GameCollector collector(2);
  for (const std::string name : {"a", "b", "a", "gone"}) collector.add(game_in(folder.path(name)));
  EXPECT_THAT(GameCollector(collector).take().faults, SizeIs(1)) << "only the missing folder";
  for (int i = 0; i < 200; ++i) collector.add(game_in(folder.path("gone")));
  collector.add(game_in(folder.path("c")));
  const FoundGames found = std::move(collector).take();
  EXPECT_THAT(found.games, SizeIs(2));
  EXPECT_THAT(found.faults.back().message, HasSubstr("expected at most 2 games"));
}

}  // namespace
}  // namespace seekless
