#include "packer/trace/runs.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(RunCutter, each_mark_begins_a_run_and_the_end_of_one_goes_back_to_the_traces_own) {
  RunCutter cutter;
  cutter.start_trace(3, "file");
  EXPECT_EQ(cutter.scenario(), "file");
  cutter.begin({.scenario = "named"});
  EXPECT_EQ(cutter.id(), (RunId{3, 0}));
  EXPECT_EQ(cutter.scenario(), "named");
  cutter.cut({.time_ns = 1, .scenario = "map"});
  EXPECT_EQ(cutter.id(), (RunId{3, 1}));
  EXPECT_EQ(cutter.scenario(), "map");
  cutter.cut({.time_ns = 2, .scenario = "map", .begins = false});
  EXPECT_EQ(cutter.id(), (RunId{3, 2}));
  EXPECT_EQ(cutter.scenario(), "named");
  EXPECT_EQ(cutter.trace_scenario(), "named");
}

TEST(RunCutter, a_trace_knows_nothing_of_the_one_before) {
  RunCutter cutter;
  cutter.start_trace(0, "first");
  cutter.cut({.time_ns = 1, .scenario = "map"});
  cutter.start_trace(1, "second");
  cutter.begin({});
  EXPECT_EQ(cutter.id(), (RunId{1, 0}));
  EXPECT_EQ(cutter.scenario(), "second");
}

}  // namespace
}  // namespace seekless
