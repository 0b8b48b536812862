#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/answer/analyze_answer.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kSecond = 1'000'000'000;

// Makes a load of ten seconds, of which reading takes three on a cold disk and 0.4 in order.
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

TEST(Conclusion, of_a_cold_recording_tells_what_was_measured_and_what_the_model_says) {
  const Conclusion conclusion = conclude(load(3.0), "disk");
  EXPECT_FALSE(conclusion.is_warm);
  EXPECT_THAT(conclusion.text, HasSubstr("3.0 s of 10.0 s (30 %)"));
  EXPECT_THAT(conclusion.text, HasSubstr("with 250 seeks"));
  EXPECT_THAT(conclusion.text, HasSubstr("in order take 0.40 s"));
  EXPECT_THAT(conclusion.text, Not(HasSubstr("side by side"))) << "where files lie hardly matters";
}

TEST(Conclusion, of_a_warm_recording_says_that_it_cannot_tell) {
  const Conclusion conclusion = conclude(load(0.05), "disk");
  EXPECT_TRUE(conclusion.is_warm);
  EXPECT_THAT(conclusion.text, HasSubstr("can't show"));
  EXPECT_THAT(conclusion.text, HasSubstr("came from memory, or from a faster drive"));
}

TEST(Conclusion, many_short_calls_do_not_make_a_recording_cold) {
  RunFigures run = load(2.0);
  run.time.waits = 0;
  run.time.wait_ns = 0;
  EXPECT_TRUE(conclude(run, "disk").is_warm);
}

TEST(Conclusion, time_in_short_calls_is_told_apart) {
  RunFigures run = load(4.0);
  run.time.wait_ns = 3 * kSecond;
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_THAT(conclusion.text, HasSubstr("in reads 3.0 s went to the 300 reads that waited"));
  EXPECT_THAT(conclusion.text, HasSubstr("and 1.0 s to the other 700 ones"));
}

TEST(Conclusion, without_durations_leans_on_the_model_alone) {
  RunFigures run = load(0);
  run.time = {.span_ns = 10 * kSecond};
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_FALSE(conclusion.is_warm);
  EXPECT_THAT(conclusion.text, HasSubstr("doesn't tell how long reads took"));
}

TEST(Conclusion, some_durations_make_a_lower_bound) {
  RunFigures run = load(3.0);
  run.time.timed_reads = 500;
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("at least 3.0 s"));
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("durations of 50 % of the reads are known"));
}

// "Saves up to 9.6 s" was once said of one file read in sequence. That gain comes from where the
// file may lie, not from order.
TEST(Conclusion, where_files_may_lie_is_told_with_its_own_bound) {
  RunFigures run = load(0.41);
  run.cold->cost.seconds = 0.42;
  run.cold->scattered.seconds = 6;
  run.cold->scattered_bound_seconds = 5.9;
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_THAT(conclusion.text, HasSubstr("If they lie all over it: 6.0 s, with 251 seeks; in order "
                                         "5.9 s."));
  EXPECT_THAT(conclusion.text, Not(HasSubstr("save")));
}

TEST(Conclusion, without_a_model_promises_nothing) {
  RunFigures run = load(3.0);
  run.cold.reset();
  const Conclusion conclusion = conclude(run, "disk");
  EXPECT_THAT(conclusion.text, Not(HasSubstr("save")));
}

TEST(Conclusion, of_names_alone_says_so) {
  RunFigures run = {.reads = 5, .whole_files = 5};
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("only which files"));
}

TEST(Conclusion, of_opens_alone_tells_what_failed) {
  RunFigures run = {.failed_opens = 12, .failed_ns = 2 * kSecond};
  EXPECT_THAT(conclude(run, "disk").text, HasSubstr("12 attempts to open one failed"));
  EXPECT_EQ(conclude(RunFigures(), "disk").text, "No file was read.");
}

}  // namespace
}  // namespace seekless
