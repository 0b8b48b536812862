#include "packer/warm/wanted.h"

#include <gmock/gmock.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Wanted, joins_what_touches_whatever_the_order) {
  Wanted wanted;
  wanted.add("b", 100, 50);
  wanted.add("a", 0, 10);
  wanted.add("b", 0, 100);
  wanted.add("b", 120, 100);
  wanted.add("b", 500, 1);
  wanted.add("a", 0, 0);
  EXPECT_THAT(wanted.paths(), ElementsAre("b", "a"));
  EXPECT_THAT(wanted.take_ranges(),
              ElementsAre(WantedRange{0, 0, 220}, WantedRange{0, 500, 1}, WantedRange{1, 0, 10}));
}

TEST(Wanted, whole_files_reach_to_the_end_of_all_numbers) {
  Wanted wanted;
  wanted.add("a", 0, kWholeFile);
  wanted.add("a", 5, kWholeFile);
  EXPECT_THAT(wanted.take_ranges(), ElementsAre(WantedRange{0, 0, UINT64_MAX}));
}

TEST(Wanted, keeps_memory_to_pieces_that_dont_touch) {
  Wanted wanted;
  for (uint64_t i = 0; i < 3'000'000; ++i)
    wanted.add(i % 2 == 0 ? "a" : "b", i / 2 % 1000 * 10, 10);
  EXPECT_THAT(wanted.take_ranges(),
              ElementsAre(WantedRange{0, 0, 10'000}, WantedRange{1, 0, 10'000}));
}

class WantedOfTraceTest : public testing::Test {
 protected:
  void play(WantedOfTrace& trace, std::string scenario) {
    ASSERT_TRUE(trace.begin({.scenario = std::move(scenario)}));
    ASSERT_TRUE(trace.add_path("p"));
    ASSERT_TRUE(trace.add_event({.kind = EventKind::open}));
    ASSERT_TRUE(trace.add_event({.offset_bytes = 0, .length_bytes = 1}));
    ASSERT_TRUE(trace.add_mark({.scenario = "map", .begins = true}));
    ASSERT_TRUE(trace.add_event({.offset_bytes = 10, .length_bytes = 1}));
    ASSERT_TRUE(trace.add_mark({.scenario = "map", .begins = false}));
    ASSERT_TRUE(trace.add_event({.offset_bytes = 20, .length_bytes = 1, .kind = EventKind::map}));
  }
  Wanted wanted;
};

TEST_F(WantedOfTraceTest, takes_one_scenario_between_its_marks) {
  WantedOfTrace trace(wanted, "map", "file");
  play(trace, "boot");
  EXPECT_TRUE(trace.found_scenario());
  EXPECT_THAT(wanted.take_ranges(), ElementsAre(WantedRange{0, 10, 1}));
}

TEST_F(WantedOfTraceTest, takes_what_lies_outside_of_marks_as_the_traces_own) {
  WantedOfTrace trace(wanted, "boot", "file");
  play(trace, "boot");
  EXPECT_THAT(wanted.take_ranges(), ElementsAre(WantedRange{0, 0, 1}, WantedRange{0, 20, 1}));
}

TEST_F(WantedOfTraceTest, takes_all_without_a_name) {
  WantedOfTrace trace(wanted, "", "file");
  play(trace, "");
  EXPECT_EQ(wanted.take_ranges().size(), 3u);
}

TEST_F(WantedOfTraceTest, leaves_out_files_that_arent_wanted) {
  WantedOfTrace trace(wanted, "", "file", [](std::string_view path) { return path == "other"; });
  play(trace, "map");
  EXPECT_THAT(wanted.paths(), IsEmpty());
  EXPECT_THAT(trace.left_out(), ElementsAre("p"));
}

TEST_F(WantedOfTraceTest, knows_when_a_scenario_isnt_there) {
  WantedOfTrace trace(wanted, "other", "file");
  play(trace, "boot");
  EXPECT_FALSE(trace.found_scenario());
  EXPECT_THAT(wanted.take_ranges(), IsEmpty());
}

}  // namespace
}  // namespace seekless
