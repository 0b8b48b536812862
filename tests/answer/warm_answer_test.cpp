// Tests the messages about warming.
#include "packer/answer/warm_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Warming sample_warming() {
  Warming warming;
  warming.scenario = "map/rush";
  warming.files.files.resize(3);
  warming.files.missing = {"/g/gone"};
  warming.report.reads = 1;
  warming.report.bytes = 20'000'000;
  warming.report.cached_bytes = 5'000'000;
  warming.report.fetched_bytes = 15'000'000;
  warming.report.seconds = 0.5;
  return warming;
}

TEST(WarmText, tells_what_was_read_and_left_out) {
  Warming warming = sample_warming();
  const std::string all =
      "map/rush: 20.0 MB of 2 files in 1 sweep; 5.0 MB of them in memory before; 15.0 MB read in "
      "0.50 s (30 MB/s)";
  EXPECT_EQ(to_text(warming), all);
  warming.left_out = {"/lib/x.so"};
  EXPECT_EQ(to_text(warming), all + "\nleft out: 1 file that isn't content; --all reads it, too");
}

TEST(WarmText, tells_what_a_drive_would_take) {
  Warming warming = sample_warming();
  warming.forecast = ForecastWarming{.drive = "slow", .seconds = 0.254};
  const std::string plan = "map/rush: 20.0 MB of 2 files in 1 sweep; ";
  const std::string known = plan + "slow would take 0.25 s if nothing is in memory";
  EXPECT_EQ(to_text(warming), known);
  EXPECT_EQ(to_json(warming)["forecast_seconds"], 0.254);
  warming.files.unplaced = {"/m/a"};
  EXPECT_EQ(to_text(warming), known + ", and longer for files without known places");
  warming.files.unplaced.clear();
  warming.files.files.resize(1'001);
  const std::string many =
      "map/rush: 20.0 MB of 1000 files in 1 sweep; slow would take 0.25 s if nothing is in memory";
  EXPECT_EQ(to_text(warming), many) << "their folders' places are known";
  warming.forecast->unfound_files = 900;
  EXPECT_EQ(to_text(warming), many + ", and longer to find 900 files in their folders");
  warming.files.files.resize(3);
  warming.forecast->seconds.reset();
  EXPECT_EQ(to_text(warming),
            plan + "how long it would take isn't known, since no file's place is");
  EXPECT_TRUE(to_json(warming)["forecast_seconds"].is_null());
}

TEST(WarmText, warns_of_what_is_missing_and_of_too_little_memory) {
  const WarmFiles files = sample_warming().files;
  EXPECT_THAT(warnings_of({}, 100, 200), IsEmpty());
  EXPECT_THAT(warnings_of({}, 101'000'000, 0), IsEmpty()) << "the system doesn't tell";
  EXPECT_THAT(
      warnings_of(files, 101'000'000, 200'000'000),
      ElementsAre("1 of 3 files isn't there or can't be read, such as '/g/gone'; where files are "
                  "named otherwise here, say so with --map",
                  "101 MB are wanted, of 200 MB of memory: what is read first may be gone before "
                  "it is used; name one --scenario"));
}

TEST(WarmText, warns_of_files_whose_places_nobody_knows) {
  WarmFiles files;
  files.unplaced = {"/m/a"};
  EXPECT_THAT(
      warnings_of(files, 100, 0),
      ElementsAre(
          "1 file lies on a file system that doesn't tell where, such as '/m/a'; such files "
          "are read last, in the order of their bytes"));
  files.unplaced.emplace_back("/m/b");
  EXPECT_THAT(warnings_of(files, 100, 0),
              ElementsAre(testing::StartsWith("2 files lie on a file system that doesn't tell")));
}

TEST(WarmText, examples_are_three) {
  EXPECT_EQ(examples({}), "");
  EXPECT_EQ(examples({"a", "b", "c", "d"}), "'a', 'b', 'c'");
}

TEST(WarmText, is_null_in_json_what_nobody_knows) {
  Warming warming = sample_warming();
  EXPECT_EQ(to_json(warming)["cached_bytes"], 5'000'000);
  warming.report.knows_cached = false;
  EXPECT_TRUE(to_json(warming)["cached_bytes"].is_null());
}

}  // namespace
}  // namespace seekless
