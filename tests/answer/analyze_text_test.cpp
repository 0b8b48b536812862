#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/answer/analyze_answer.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHostile = std::string("/g/<script>\x1b[2J\x7f\n") + "\xff" +
                             std::string(200, 'x') +
                             "/\xe2\x80\xae"
                             "end";

RunFigures full_run(const std::string& name) {
  RunFigures run = {.trace = name,
                    .scenario = "map/rush",
                    .reads = 10,
                    .bytes = UINT64_MAX,
                    .needed_bytes = 1,
                    .files = 1};
  run.time = {.span_ns = UINT64_MAX, .timed_reads = 10, .read_ns = UINT64_MAX};
  run.threads = 2;
  run.sizes = {{.from_bytes = uint64_t{1} << 62, .reads = UINT64_MAX, .bytes = UINT64_MAX}};
  const FileFigures file = {.path = kHostile,
                            .archive = kHostile,
                            .reads = UINT64_MAX,
                            .bytes = UINT64_MAX,
                            .needed_bytes = 1,
                            .opens = UINT64_MAX,
                            .read_ns = UINT64_MAX};
  run.top_files = run.top_repeated = {file};
  run.content.emplace();
  run.content->top_entries = run.content->top_outside = run.content->top_repeated = {file};
  run.chains = {1, 2, UINT64_MAX, 1};
  run.top_chains = {{.path = kHostile,
                     .offset_bytes = uint64_t{1} << 53,
                     .bytes = UINT64_MAX,
                     .reads = UINT64_MAX,
                     .entry = kHostile}};
  run.top_threads = {{UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}, {1, 2, 3, 4, 5}};
  run.top_failed = {{kHostile, UINT64_MAX, UINT64_MAX}};
  run.top_failed_processes = {{1, 2, 3}, {UINT32_MAX, UINT64_MAX, UINT64_MAX}};
  run.cold = {.cost = {UINT64_MAX, UINT64_MAX, UINT64_MAX, 1e9}, .travel_bytes = UINT64_MAX};
  return run;
}

std::string text_of(const Analysis& analysis, bool is_verbose = true) {
  return to_text(AnalyzeAnswer{analysis, {}}, 80, is_verbose);
}

void expect_clean(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns_of(line), 80U) << line;
    EXPECT_EQ(clean_line(line), line);
  }
}

TEST(AnalysisText, fits_80_columns_and_cleans_names_whatever_the_figures) {
  Analysis analysis = {.drive = "disk", .runs = {full_run("a.1")}, .warnings = {kHostile}};
  expect_clean(text_of(analysis));
  analysis.runs.push_back(full_run(kHostile));
  expect_clean(text_of(analysis));
  analysis.runs.push_back(full_run("c"));
  expect_clean(text_of(analysis));
}

TEST(AnalysisText, shows_one_run_in_full_two_side_by_side_and_more_in_a_table) {
  Analysis analysis = {.drive = "disk", .runs = {full_run("a.1")}};
  EXPECT_THAT(text_of(analysis), HasSubstr("Threads, most bytes first"));
  analysis.runs.push_back(full_run("a.2"));
  EXPECT_THAT(text_of(analysis), Not(HasSubstr("Threads, most bytes first")));
  EXPECT_THAT(text_of(analysis), HasSubstr("a.1  "));
  EXPECT_THAT(text_of(analysis), HasSubstr("longest stretch in one file"));
  analysis.runs[1].scenario = "menu";
  EXPECT_THAT(text_of(analysis), HasSubstr("total"));
}

TEST(AnalysisText, says_where_reads_went_only_if_asked) {
  Analysis analysis = {.drive = "disk", .runs = {full_run("a.1")}, .assumptions = {"It is cold."}};
  const std::string text = text_of(analysis, false);
  EXPECT_THAT(text, Not(HasSubstr("Threads, most bytes first")));
  EXPECT_THAT(text, Not(HasSubstr("Assumed")));
  EXPECT_THAT(text, HasSubstr("\n- --verbose says more"));
  EXPECT_THAT(text_of(analysis), HasSubstr("\n- Assumed: It is cold."));
}

TEST(AnalysisText, of_nothing_says_so) {
  EXPECT_THAT(text_of(Analysis()), HasSubstr("No file was read"));
}

TEST(AnalysisJson, carries_names_that_are_no_utf8) {
  Analysis analysis = {.drive = "disk", .runs = {full_run("a.1")}, .warnings = {kHostile}};
  const auto json = to_json(AnalyzeAnswer{analysis, {}});
  EXPECT_FALSE(json.dump().empty());
  EXPECT_EQ(json["runs"][0]["reads"], 10);
}

TEST(AnalysisJson, tells_null_for_what_is_not_known) {
  Analysis analysis = {.drive = "disk", .runs = {{.trace = "a", .reads = 3}}};
  const auto json = to_json(AnalyzeAnswer{analysis, {}})["runs"][0];
  EXPECT_TRUE(json["time"]["read_seconds"].is_null());
  EXPECT_TRUE(json["cold"].is_null());
  EXPECT_TRUE(json["content"].is_null());
}

}  // namespace
}  // namespace seekless
