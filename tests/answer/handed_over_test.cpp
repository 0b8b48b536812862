// Tests answers that one process hands over to another as JSON.
#include <gtest/gtest.h>

#include "packer/answer/mount_answer.h"
#include "packer/answer/play_answer.h"

namespace seekless {
namespace {

TEST(HandedOver, a_run_is_read_as_it_was_written) {
  const PlayedRun run = {
      .trace = PlayedTrace{"t.jsonl", "menu", 4, 3, 2, 1},
      .foreseen = PlayedReads{.reads = 7, .longest_wait_s = 0.25, .recognised = {"menu"}},
      .marked = {"map"},
      .unread_folders = {"/wine"},
      .scenarios = 2,
      .laying_out_saves_s = 0.5,
      .lays_out_after = true,
      .first_waited_s = 3.5,
      .last_waited_s = 0.5,
      .advice = PlayedAdvice{"place", 0.9, 1.6, {"advise", "/games/a"}},
      .warnings = {"the disk is full"}};
  EXPECT_EQ(handed_over(played_run_of(handed_over(run))), handed_over(run));
  EXPECT_EQ(played_run_of(handed_over(run)).warnings.size(), 1U);
}

TEST(HandedOver, a_run_that_told_nothing_is_empty) {
  EXPECT_FALSE(played_run_of("").trace);
  EXPECT_FALSE(played_run_of("{}").foreseen);
}

TEST(HandedOver, a_faster_way_is_told_with_its_figures_and_how_to_compare) {
  const PlayedRun run = {.foreseen = PlayedReads{},
                         .advice = PlayedAdvice{"place", 0.9, 1.6, {"advise", "/my games/a"}}};
  EXPECT_EQ(
      lines_of({.folder = "/my games/a", .was_served = true, .run = run}).back(),
      "'seekless place' is forecast to make a load take 0.90 s of the disk's time, instead of "
      "1.6 s; to compare all ways: seekless advise '/my games/a'");
}

TEST(HandedOver, advice_is_kept_and_anything_else_is_none) {
  const auto kept = played_advice_of(to_text(PlayedAdvice{"repack", 0.5, 0.75, {"advise"}}));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->way, "repack");
  EXPECT_EQ(kept->seconds, 0.5);
  EXPECT_EQ(kept->played_s, 0.75);
  for (const char* text : {"", "{", "[]", "3", R"({"way":3,"seconds":"a","played_seconds":1})",
                           R"({"way":"rm","seconds":1,"played_seconds":2})",
                           R"({"way":"place","seconds":2,"played_seconds":1})"})
    EXPECT_FALSE(played_advice_of(text)) << text;
}

TEST(HandedOver, warnings_are_not_in_the_answer) {
  EXPECT_FALSE(to_json(PlayAnswer{.run = {.warnings = {"w"}}}).contains("warnings"));
}

TEST(HandedOver, a_mounted_set_is_read_as_it_was_written) {
  const auto json = to_json(MountAnswer{.set = "packs", .folder = "/mnt", .files = 3, .bytes = 4});
  EXPECT_EQ(to_json(mount_answer_of(json)), json);
}

}  // namespace
}  // namespace seekless
