#include "packer/analysis/internal/ordered_runs.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

// Writes down the calls that it gets.
struct Log final : RunVisitor {
  void add_path(uint32_t path, std::string_view name) override {
    lines.push_back("path " + std::to_string(path) + " " + std::string(name));
  }
  void begin_run(const std::string& scenario, std::optional<int64_t> at) override {
    lines.push_back("begin " + scenario + (at ? " at " + std::to_string(*at) : ""));
  }
  void add_event(const Event& event) override { lines.push_back(std::to_string(event.start_ns)); }
  void end_run(std::optional<int64_t> at) override {
    lines.push_back("end" + (at ? " at " + std::to_string(*at) : std::string()));
  }
  std::vector<std::string> lines;
};

class OrderedRunsTest : public testing::Test {
 protected:
  void event(int64_t start_ns, uint32_t path = 0) {
    ASSERT_TRUE(runs_.add_event({.start_ns = start_ns, .length_bytes = 1, .path = path}));
  }
  Log log_;
  OrderedRuns runs_{log_, "level"};
};

TEST_F(OrderedRunsTest, sorts_events_that_came_late) {
  ASSERT_TRUE(runs_.add_path("/a"));
  for (const int64_t start : {10, 30, 20, 5, 40, 30}) event(start);
  runs_.finish();
  EXPECT_THAT(log_.lines,
              ElementsAre("path 0 /a", "begin level", "5", "10", "20", "30", "30", "40", "end"));
}

TEST_F(OrderedRunsTest, marks_cut_runs) {
  ASSERT_TRUE(runs_.begin({.scenario = "game"}));
  ASSERT_TRUE(runs_.add_path("/a"));
  event(1);
  ASSERT_TRUE(runs_.add_mark({10, "map", true}));
  event(20);
  event(15);
  ASSERT_TRUE(runs_.add_mark({30, "map", false}));
  event(31);
  runs_.finish();
  EXPECT_THAT(log_.lines,
              ElementsAre("path 0 /a", "begin game", "1", "end at 10", "begin map at 10", "15",
                          "20", "end at 30", "begin game", "31", "end"));
}

TEST_F(OrderedRunsTest, leaves_out_what_no_disk_holds) {
  for (const char* path : {"/proc/self/maps", "/dev", "/sys/x", "/development/a"})
    ASSERT_TRUE(runs_.add_path(path));
  for (uint32_t path = 0; path < 4; ++path) event(path, path);
  runs_.finish();
  EXPECT_EQ(runs_.events_left_out(), 3U);
  EXPECT_THAT(log_.lines, ElementsAre("path 3 /development/a", "begin level", "3", "end"));
}

TEST_F(OrderedRunsTest, holds_back_a_fixed_number) {
  ASSERT_TRUE(runs_.add_path("/a"));
  for (size_t i = 0; i < OrderedRuns::kMaxHeld + 3; ++i) event(static_cast<int64_t>(i));
  EXPECT_EQ(log_.lines.size(), 2U + 3) << "path, begin, and what went over";
  runs_.finish();
  EXPECT_EQ(log_.lines.size(), 2U + OrderedRuns::kMaxHeld + 3 + 1);
}

TEST_F(OrderedRunsTest, passes_over_marks_without_end) {
  ASSERT_TRUE(runs_.add_path("/a"));
  for (uint64_t i = 0; i < OrderedRuns::kMaxRuns + 5; ++i) {
    ASSERT_TRUE(runs_.add_mark({static_cast<int64_t>(i), "s", true}));
    event(static_cast<int64_t>(i));
  }
  runs_.finish();
  EXPECT_EQ(runs_.marks_passed_over(), 5U);
}

}  // namespace
}  // namespace seekless
