#include "packer/answer/build_answer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::IsEmpty;
using Json = nlohmann::ordered_json;

BuildAnswer sample_answer() {
  BuildAnswer build;
  build.build_file = "game/seekless.json";
  build.is_changed = true;
  build.seconds = 1.25;
  build.folder = "game/packs";
  build.layout = "game/.seekless/layout.json";
  build.lock = "game/layout.lock";
  build.assets = 90;
  build.hashed_bytes = 12;
  build.added = {"a"};
  build.reasons = {"a trace changed"};
  build.scenarios = {{"menu", 2, LoadCost{1, 2, 3, 0.5}, PredictedLoad{.sweep_s = 0.125}},
                     {"maps/unrecorded", 0, {}, {}}};
  build.packs = {{.file = "common.skl",
                  .kind = "common",
                  .fate = OutputFate::written,
                  .reasons = {"2 assets changed"},
                  .file_bytes = 1000,
                  .padding_bytes = 100,
                  .id = "0123456789abcdef",
                  .patch = PatchSizes{7, 5}},
                 {.file = "cold.skl", .kind = "cold", .file_bytes = 1000, .patch = PatchSizes{}}};
  build.patch = UpdateCosts{.edited_bytes = 5, .drive = "wd-black-1tb"};
  build.relayout = {.saved_s = -0.5, .kept_s = 2, .patch = {4, 3}};
  build.prediction = Prediction{.drive = "wd-black-1tb", .seconds = 2, .curve = {{1.5, 6, 1}}};
  build.zips = BuiltZips{.folder = "zips",
                         .fate = OutputFate::written,
                         .reasons = {"first"},
                         .archives = {{.name = "a.zip", .reason = "it is signed"}}};
  build.gone = {"b"};
  return build;
}

TEST(BuildAnswer, is_read_as_it_was_written) {
  const std::string text = to_json(sample_answer()).dump();
  const auto read = read_build_answer(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read).dump(), text);
}

TEST(BuildAnswer, sums_its_packs) {
  const BuildAnswer build = sample_answer();
  EXPECT_EQ(build.bytes(), 2000U);
  EXPECT_EQ(build.written_bytes(), 1000U);
  EXPECT_EQ(build.written_packs(), 1U);
  EXPECT_DOUBLE_EQ(build.padding_share(), 0.05);
}

TEST(BuildAnswer, of_a_build_that_found_nothing_to_do_says_so) {
  const BuildAnswer same = unchanged_since(sample_answer(), {.path = "elsewhere"}, 0.5);
  EXPECT_EQ(same.build_file, "elsewhere");
  EXPECT_FALSE(same.is_changed);
  EXPECT_EQ(same.written_bytes(), 0U);
  EXPECT_EQ(same.bytes(), 2000U);
  EXPECT_THAT(same.packs.front().reasons, IsEmpty());
  EXPECT_EQ(same.packs.front().patch->chunk_bytes, 0U);
  EXPECT_EQ(same.patch->edited_bytes, 0U);
  EXPECT_EQ(same.patch->drive, "wd-black-1tb");
  EXPECT_EQ(same.zips->fate, OutputFate::kept);
}

TEST(BuildAnswer, is_not_read_without_any_of_its_figures) {
  const Json whole = to_json(sample_answer());
  for (const auto& [key, value] : whole.items()) {
    if (key == "bytes" || key == "written_bytes" || key.ends_with("_share")) continue;  // sums
    Json part = whole;
    part.erase(key);
    EXPECT_FALSE(read_build_answer(part.dump())) << key;
  }
  for (const char* text : {"", "[]", "{}", "{\"command\": \"plan\"}", "\xff"})
    EXPECT_FALSE(read_build_answer(text)) << text;
}

}  // namespace
}  // namespace seekless
