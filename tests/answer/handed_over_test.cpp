// Answers that one process hands over to another as JSON.
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
      .warnings = {"the disk is full"}};
  EXPECT_EQ(handed_over(played_run_of(handed_over(run))), handed_over(run));
  EXPECT_EQ(played_run_of(handed_over(run)).warnings.size(), 1U);
}

TEST(HandedOver, a_run_that_told_nothing_is_empty) {
  EXPECT_FALSE(played_run_of("").trace);
  EXPECT_FALSE(played_run_of("{}").foreseen);
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
