// Tests the text and the JSON of advice.
#include "packer/answer/advise_answer.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const JudgedDrive kRotating = {
    .name = "wd-black-1tb", .choice = DriveChoice::content, .found = "sda, 1.0 TB"};

AdviseAnswer advice() {
  AdviseAnswer answer = {.paths = {"/games/a b"},
                         .drive = kRotating,
                         .known_from = "recordings",
                         .loads = {{.name = "map", .runs = 1, .as_shipped_s = 3.56}},
                         .assumption = "files where they lie now",
                         .ways = {},
                         .notes = {}};
  answer.ways = best_first({{.way = LoadWay::nothing, .seconds = 3.56, .changes = "as shipped"},
                            {.way = LoadWay::laid_out,
                             .seconds = 0.8,
                             .room_bytes = 45'000'000,
                             .changes = "no file",
                             .undo = "play --forget",
                             .command = {"play", "--auto", "/games/a b"},
                             .tail = " -- GAME"},
                            {.way = LoadWay::place,
                             .seconds = 1.6,
                             .changes = "places",
                             .command = {"place"},
                             .why_not = "nobody may write\x1b[2J here"}});
  return answer;
}

TEST(Advice, begins_with_what_is_best_and_has_its_command_to_copy) {
  const std::string text = to_text(advice(), 80, false);
  EXPECT_THAT(text, StartsWith("Worth it: a cold load waits 0.80 s instead of 3.6 s with 'laid "
                               "out', for a"));
  EXPECT_THAT(text, HasSubstr("seekless play --auto '/games/a b' -- GAME"));
  EXPECT_THAT(text, HasSubstr("place: can't be used here"));
  EXPECT_THAT(text, Not(HasSubstr("seekless place"))) << "it can't be used";
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(next_words(advice()),
              testing::ElementsAre("play", "--auto", "/games/a b", "--", "GAME"));
}

TEST(Advice, names_what_starts_the_game_where_that_is_known) {
  AdviseAnswer answer = advice();
  answer.game = {"/usr/games/a b", "-w"};
  EXPECT_THAT(to_text(answer, 80, false),
              HasSubstr("seekless play --auto '/games/a b' -- '/usr/games/a b' -w"));
  EXPECT_THAT(to_text(answer, 80, false), Not(HasSubstr("GAME")));
  EXPECT_THAT(next_words(answer),
              testing::ElementsAre("play", "--auto", "/games/a b", "--", "/usr/games/a b", "-w"));
  answer.known_from.clear();
  EXPECT_THAT(next_words(answer),
              testing::ElementsAre("play", "/games/a b", "--", "/usr/games/a b", "-w"));
}

TEST(Advice, of_nothing_known_says_how_to_record) {
  const AdviseAnswer answer = {.paths = {"/games/a"}, .drive = kRotating};
  EXPECT_THAT(to_text(answer, 80, false), HasSubstr("record one start first"));
  EXPECT_EQ(next_words(answer).front(), "play");
  EXPECT_TRUE(to_json(answer)["best"].is_null());
}

TEST(Advice, for_solid_state_says_so_and_ends) {
  const AdviseAnswer answer = {.paths = {"/games/a"},
                               .drive = {.name = "sata-ssd", .is_solid_state = true}};
  EXPECT_THAT(to_text(answer, 80, false), StartsWith("Nothing to gain: /games/a lies on"));
  EXPECT_TRUE(next_words(answer).empty());
}

TEST(Advice, has_null_for_what_is_not_known) {
  AdviseAnswer answer = advice();
  answer.ways.push_back({.way = LoadWay::repack, .changes = "archives", .why_not = "none"});
  const auto json = to_json(answer);
  EXPECT_EQ(json["best"], "laid out");
  EXPECT_TRUE(json["ways"].back()["seconds"].is_null());
  EXPECT_TRUE(json["ways"].back()["command"].is_null());
  EXPECT_FALSE(json["ways"].back()["usable"]);
  EXPECT_DOUBLE_EQ(json["as_shipped_seconds"], 3.56);
}

}  // namespace
}  // namespace seekless
