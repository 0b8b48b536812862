#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/analysis/analysis.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kSecond = 1'000'000'000;

// A load of ten seconds, of which reading takes three on a cold disk and 0.4 in order.
RunFigures load(double waited_s) {
  RunFigures run = {.reads = 1000, .bytes = 50'000'000, .needed_bytes = 45'000'000};
  const auto ns = static_cast<uint64_t>(waited_s * 1e9);
  run.time = {.span_ns = 10 * kSecond,
              .timed_reads = 1000,
              .read_ns = ns,
              .summed_ns = ns,
              .waits = 300,
              .wait_ns = ns};
  run.cold = {.cost = {.bytes = 46'000'000, .reads = 900, .seeks = 250, .seconds = 3},
              .scattered = {.seeks = 251, .seconds = 3.1},
              .bound_seconds = 0.4};
  return run;
}

TEST(Conclusion, of_a_cold_recording_tells_what_was_measured_and_what_can_be_won) {
  const Conclusion conclusion = conclude(load(3.0), "disk");
  EXPECT_EQ(conclusion.verdict, Verdict::part);
  EXPECT_FALSE(conclusion.is_warm);
  EXPECT_DOUBLE_EQ(conclusion.cold_load_seconds, 10);
  EXPECT_DOUBLE_EQ(conclusion.winnable_seconds, 2.6);
  EXPECT_THAT(conclusion.text, HasSubstr("3.0 s of 10.0 s (30 %)"));
  EXPECT_THAT(conclusion.text, HasSubstr("with 250 seeks"));
  EXPECT_THAT(conclusion.text, HasSubstr("in order takes 0.40 s"));
  EXPECT_THAT(conclusion.text, Not(HasSubstr("side by side"))) << "where files lie hardly matters";
}

TEST(Conclusion, of_a_warm_recording_says_that_it_cannot_tell) {
  const Conclusion conclusion = conclude(load(0.05), "disk");
  EXPECT_TRUE(conclusion.is_warm);
  EXPECT_DOUBLE_EQ(conclusion.cold_load_seconds, 10 - 0.05 + 3) << "what waited goes";
  EXPECT_THAT(conclusion.text, HasSubstr("can't show"));
  EXPECT_THAT(conclusion.text, HasSubstr("came from memory, or from a faster drive"));
}

TEST(Conclusion, many_short_calls_do_not_make_a_recording_cold) {
  RunFigures run = load(2.0);
  run.time.waits = 0;
  run.time.wait_ns = 0;
  EXPECT_TRUE(conclude(run, "disk").is_warm);
}

TEST(Conclusion, time_in_short_calls_is_told_apart_and_not_counted_as_won) {
  RunFigures run = load(4.0);
  run.time.wait_ns = 3 * kSecond;
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_THAT(conclusion.text, HasSubstr("in reads 3.0 s went to the 300 reads that waited"));
  EXPECT_THAT(conclusion.text, HasSubstr("and 1.0 s to the other 700 ones"));
  EXPECT_DOUBLE_EQ(conclusion.winnable_seconds, 2.6);
}

TEST(Conclusion, without_durations_leans_on_the_model_alone) {
  RunFigures run = load(0);
  run.time = {.span_ns = 10 * kSecond};
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_FALSE(conclusion.is_warm);
  EXPECT_THAT(conclusion.text, HasSubstr("doesn't tell how long reads took"));
  EXPECT_THAT(conclusion.text, HasSubstr("save up to 2.7 s"));
}

TEST(Conclusion, some_durations_make_a_lower_bound) {
  RunFigures run = load(3.0);
  run.time.timed_reads = 500;
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("at least 3.0 s"));
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("known of 50 % of the reads"));
}

TEST(Conclusion, says_when_reading_is_the_bottleneck) {
  RunFigures run = load(9.0);
  run.cold->cost.seconds = run.cold->scattered.seconds = 9;
  EXPECT_EQ(conclude(run, "disk").verdict, Verdict::bottleneck);
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("is the bottleneck"));
}

TEST(Conclusion, says_when_it_is_not_worth_it) {
  RunFigures run = load(0.5);
  run.cold->cost.seconds = run.cold->scattered.seconds = 0.5;
  EXPECT_EQ(conclude(run, "disk").verdict, Verdict::nothing_to_win);
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("nothing to win here"));
}

TEST(Conclusion, small_files_are_judged_by_where_they_may_lie) {
  RunFigures run = load(0.41);
  run.cold->cost.seconds = 0.42;
  run.cold->scattered.seconds = 6;
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_EQ(conclusion.verdict, Verdict::part);
  EXPECT_THAT(conclusion.text, HasSubstr("if the files lie far apart"));
  EXPECT_THAT(conclusion.text, HasSubstr("save 0.020 s to 5.6 s"));
}

TEST(Conclusion, without_a_model_promises_nothing) {
  RunFigures run = load(3.0);
  run.cold.reset();
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_EQ(conclusion.verdict, Verdict::unknown);
  EXPECT_THAT(conclusion.text, Not(HasSubstr("save")));
}

TEST(Conclusion, of_names_alone_says_so) {
  RunFigures run = {.reads = 5, .whole_files = 5};
  EXPECT_EQ(conclude(run, "disk").verdict, Verdict::names_only);
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("only which files"));
}

TEST(Conclusion, of_opens_alone_tells_what_failed) {
  RunFigures run = {.failed_opens = 12, .failed_ns = 2 * kSecond};
  EXPECT_EQ(conclude(run, "disk").verdict, Verdict::nothing_read);
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("12 attempts to open one failed"));
  EXPECT_EQ(conclude(RunFigures(), "disk").verdict, Verdict::nothing_read);
}

}  // namespace
}  // namespace seekless
