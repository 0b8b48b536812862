#include "packer/simulate/content_runs.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

Content two_files() {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 100}, {.path = "/g/b", .size_bytes = 200}};
  return content;
}

TEST(ContentRuns, are_cut_sorted_and_clipped_and_numbered_whatever_they_are_called) {
  const Content content = two_files();
  KeptRuns runs(content);
  for (int trace = 0; trace < 2; ++trace) {
    runs.start_trace("same");
    for (const char* path : {"/other", "/g/b", "/g/a"}) ASSERT_TRUE(runs.add_path(path));
    ASSERT_TRUE(runs.add_event({.start_ns = 1, .length_bytes = 50, .path = 0}));
    ASSERT_TRUE(
        runs.add_event({.start_ns = 9, .offset_bytes = 150, .length_bytes = 80, .path = 1}));
    ASSERT_TRUE(runs.add_event({.start_ns = 5, .length_bytes = 10, .path = 2, .thread = 77}));
    ASSERT_TRUE(runs.add_mark({.time_ns = 10, .scenario = "map"}));
    ASSERT_TRUE(runs.add_mark({.time_ns = 11, .scenario = "map", .begins = false}));
    ASSERT_TRUE(runs.add_event({.start_ns = 12, .path = 1, .kind = EventKind::open}));
    runs.finish_trace();
  }
  ASSERT_EQ(runs.size(), 4U) << "nothing is read while the map loads";
  EXPECT_EQ(runs.run_count(), 4U);
  EXPECT_EQ(runs.id(0), (RunId{0, 0}));
  EXPECT_EQ(runs.id(1), (RunId{0, 2}));
  EXPECT_EQ(runs.id(2), (RunId{1, 0}));
  const ContentRun run = runs.run(2);
  EXPECT_EQ(run.scenario, "same");
  EXPECT_TRUE(run.knows_sizes);
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[0], (Event{.length_bytes = 10, .path = 0}));
  EXPECT_EQ(run.events[1],
            (Event{.offset_bytes = 150, .length_bytes = 50, .path = 1, .thread = 1}));
  EXPECT_EQ(runs.reads_past_end().at(1), 2U);
  const ContentRun opened = runs.run(1);
  EXPECT_FALSE(opened.knows_sizes);
  EXPECT_EQ(opened.events.front().kind, EventKind::open);
}

}  // namespace
}  // namespace seekless
