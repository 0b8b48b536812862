#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/dialect.h"
#include "packer/trace/scenario_marks.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kTwoMaps =
    "1 1795226612.000000 openat(AT_FDCWD, \"/g/map/a.wrf\", O_RDONLY) = 3\n"
    "1 1795226613.000000 read(3, \"\"..., 5) = 5\n"
    "1 1795226614.000000 openat(AT_FDCWD, \"/g/map/b.wrf\", O_RDONLY) = -1 ENOENT (No)\n"
    "1 1795226615.000000 openat(AT_FDCWD, \"/g/map/b.wrf\", O_RDONLY) = 4\n"
    "1 1795226616.000000 read(3, \"\"..., 5) = 5\n"
    "1 1795226617.000000 openat(AT_FDCWD, \"/g/map/a.wrf\", O_RDONLY) = 5\n";

struct Marked {
  std::vector<std::string> marks;
  ImportReport report;
};

Marked import_marked(const ImportOptions& options) {
  MemoryStream stream("t", kTwoMaps);
  Trace trace;
  const auto report = import_trace(stream, options, trace);
  EXPECT_TRUE(report) << report.error().message;
  Marked marked;
  for (const Mark& mark : trace.marks)
    marked.marks.push_back(fmt::format("{} {}", mark.time_ns / 1'000'000, mark.scenario));
  if (report) marked.report = *report;
  return marked;
}

TEST(Split, begins_a_scenario_with_the_first_access_that_succeeds) {
  ImportOptions options;
  options.splits = {"/g/map/*.wrf"};
  const Marked marked = import_marked(options);
  EXPECT_THAT(marked.marks, ElementsAre("0 a", "3000 b"));
  EXPECT_EQ(marked.report.splits, 2U);
}

TEST(Split, sees_paths_after_map_and_those_that_only_leaves_out) {
  ImportOptions options;
  options.path_maps = {*PathMap::parse("/g=/content")};
  options.only = {"/content/map/a.wrf"};
  options.splits = {"/content/map/b*"};
  EXPECT_THAT(import_marked(options).marks, ElementsAre("3000 b"));
}

TEST(TimeMarks, are_set_before_the_first_event_at_or_behind_them) {
  ImportOptions options;
  for (const char* text : {"3=late", "0.5=early", "2026-11-21T02:03:36Z=dated", "1795226613.5="})
    options.marks.push_back(*parse_time_mark(text));
  options.scenario = "own";
  const Marked marked = import_marked(options);
  EXPECT_THAT(marked.marks, ElementsAre("500 early", "1500 own", "3000 late", "4000 dated"));
}

TEST(TimeMarks, behind_the_end_are_warned_of) {
  ImportOptions options;
  options.marks = {*parse_time_mark("99=menu")};
  const Marked marked = import_marked(options);
  ASSERT_EQ(marked.report.warnings.size(), 1U);
  EXPECT_THAT(marked.report.warnings[0], HasSubstr("'menu' at 99.000 s"));
}

TEST(TimeMarks, a_date_needs_a_trace_that_knows_its_own) {
  ImportOptions options;
  options.marks = {*parse_time_mark("2026-11-21T02:43:36Z=dated")};
  MemoryStream stream("t", "read(3</a>, \"x\", 1) = 1\n");
  Trace trace;
  const auto report = import_trace(stream, options, trace);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
}

TEST(TimeMarks, are_parsed_or_refused) {
  EXPECT_EQ(parse_time_mark("12.5=a=b"), (TimeMark{12'500'000'000, false, "a=b"}));
  EXPECT_EQ(parse_time_mark("2026-11-21T03:43:36.5+01:00=x"),
            (TimeMark{1795229016500000000, true, "x"}));
  for (const char* text : {"", "=", "menu", "menu=1", "-1=a", "1e3=a", "2026-13-01T00:00:00Z=a",
                           "2026-11-21T02:43:36=a", "99999999999999999999=a", "12"})
    EXPECT_FALSE(parse_time_mark(text)) << text;
}

TEST(TimeMarks, stems_name_scenarios) {
  EXPECT_EQ(scenario_of_path("map/rush.wrf"), "rush");
  EXPECT_EQ(scenario_of_path("C:\\maps\\rush.2.wrf"), "rush.2");
  EXPECT_EQ(scenario_of_path(".hidden"), ".hidden");
  EXPECT_EQ(scenario_of_path("a/"), "a/");
}

}  // namespace
}  // namespace seekless
