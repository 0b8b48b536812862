#include "packer/analysis/internal/cold_replay.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/simulate/disk_map.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

DriveProfile disk() {
  return find_profile("wd-black-1tb").value();
}

Trace random_trace() {
  Trace trace;
  trace.paths = {"/g/a", "/g/b"};
  std::mt19937 random(3);
  for (int64_t i = 0; i < 500; ++i)
    trace.events.push_back({.start_ns = i,
                            .offset_bytes = random() % 900'000,
                            .length_bytes = 1 + random() % 50'000,
                            .path = static_cast<uint32_t>(random() % 2),
                            .kind = random() % 10 == 0 ? EventKind::open : EventKind::read});
  return trace;
}

void feed(const Trace& trace, TraceSink& sink) {
  for (const std::string& path : trace.paths) ASSERT_TRUE(sink.add_path(path));
  for (const Event& event : trace.events) ASSERT_TRUE(sink.add_event(event));
}

// Makes both passes over a trace.
std::vector<RunFigures> analyse(const Trace& trace, const KnownContent* content) {
  TraceAnalyser analyser("t", content, 10);
  OrderedRuns first(analyser, "s");
  feed(trace, first);
  first.finish();
  const DriveProfile drive = disk();
  auto replay = ColdReplay::create(drive, content, analyser.paths());
  std::vector<RunFigures> runs = analyser.take_runs();
  if (!replay) return runs;
  OrderedRuns second(**replay, "s");
  feed(trace, second);
  second.finish();
  add_cold_figures(**replay, runs);
  return runs;
}

TEST(ColdReplay, says_what_the_replay_of_reports_says) {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 1'000'000},
                     {.path = "/g/b", .size_bytes = 800'000}};
  content.assets = {{"a", {.size_bytes = 1'000'000, .stored_bytes = 1'000'000}},
                    {"b", {.size_bytes = 800'000, .stored_bytes = 800'000, .source = 1}}};
  const Locator locator(content);
  const KnownContent known{content, locator};
  const Trace trace = random_trace();
  const auto positions = place_files(files_of(content), {}, disk());
  ASSERT_TRUE(positions);
  BaselineReplay baseline(content, {{disk(), lying_at(files_of(content), *positions)}}, {});
  baseline.start_trace("s");
  feed(trace, baseline);
  baseline.finish_trace();
  const LoadCost& expected = baseline.runs().at("s").at(0).loads.at(0).cost;

  const auto runs = analyse(trace, &known);
  ASSERT_EQ(runs.size(), 1U);
  ASSERT_TRUE(runs[0].cold);
  EXPECT_EQ(runs[0].cold->cost.reads, expected.reads);
  EXPECT_EQ(runs[0].cold->cost.bytes, expected.bytes);
  EXPECT_EQ(runs[0].cold->cost.seeks, expected.seeks);
  EXPECT_DOUBLE_EQ(runs[0].cold->cost.seconds, expected.seconds);
  const Drive drive(disk());
  EXPECT_GT(runs[0].cold->bound_seconds, drive.sweep_ms(0, runs[0].content->needed_bytes) / 1000);
  EXPECT_LE(runs[0].cold->bound_seconds, expected.seconds);
  EXPECT_LE(runs[0].cold->scattered_bound_seconds, runs[0].cold->scattered.seconds);
}

TEST(ColdReplay, of_names_alone_charges_loose_files_whole_and_archives_not) {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 100'000},
                     {.path = "/g/p.pk3", .size_bytes = 500'000, .kind = SourceKind::zip}};
  content.assets = {{"a", {.size_bytes = 100'000, .stored_bytes = 100'000}}};
  const Locator locator(content);
  const KnownContent known{content, locator};
  Trace trace;
  trace.paths = {"/g/a", "/g/p.pk3"};
  for (uint32_t path = 0; path < 2; ++path)
    trace.events.push_back({.start_ns = path, .length_bytes = kWholeFile, .path = path});
  const auto runs = analyse(trace, &known);
  ASSERT_TRUE(runs.at(0).cold);
  EXPECT_EQ(runs[0].cold->cost.bytes, 100'000U);
  EXPECT_EQ(runs[0].bytes, 100'000U);
  EXPECT_EQ(runs[0].whole_files, 2U);
}

TEST(ColdReplay, needs_no_content_and_pays_for_files_that_lie_apart) {
  Trace trace;
  for (uint32_t i = 0; i < 50; ++i) {
    trace.paths.push_back("/g/" + std::to_string(i));
    trace.events.push_back({.start_ns = i, .length_bytes = 4096, .path = i});
  }
  const auto runs = analyse(trace, nullptr);
  ASSERT_TRUE(runs.at(0).cold);
  const ColdFigures& cold = *runs[0].cold;
  EXPECT_EQ(cold.cost.bytes, 50U * 4096);
  EXPECT_LE(cold.cost.seeks, 1U) << "side by side, and in order";
  EXPECT_EQ(cold.scattered.seeks, 50U);
  EXPECT_GT(cold.scattered.seconds, 50 * 0.008);
  EXPECT_LT(cold.scattered.seconds, 50 * 0.020);
  EXPECT_EQ(cold.travel_bytes, 0U);
}

TEST(ColdReplay, tells_the_distance_over_the_drive) {
  Trace trace;
  trace.paths = {"/a", "/b"};
  trace.events = {{.start_ns = 1, .offset_bytes = 0, .length_bytes = 8192, .path = 0},
                  {.start_ns = 2, .offset_bytes = 4096, .length_bytes = 4096, .path = 1},
                  {.start_ns = 3, .offset_bytes = 0, .length_bytes = 4096, .path = 0}};
  const auto runs = analyse(trace, nullptr);
  ASSERT_TRUE(runs.at(0).cold);
  // /b lies at 8192, so the head goes from 8192 to 12288, and then from 16384 back to 0.
  EXPECT_EQ(runs[0].cold->travel_bytes, 4096U + 16384);
}

TEST(ColdReplay, keeps_runs_apart_and_leaves_out_those_without_reads) {
  Trace trace;
  trace.paths = {"/a"};
  TraceAnalyser analyser("t", nullptr, 10);
  const auto give = [&](TraceSink& sink) {
    ASSERT_TRUE(sink.add_path("/a"));
    for (int run = 0; run < 3; ++run) {
      ASSERT_TRUE(sink.add_mark({run * 10, "r", true}));
      ASSERT_TRUE(sink.add_event({.start_ns = run * 10,
                                  .length_bytes = 4096,
                                  .path = 0,
                                  .kind = run == 1 ? EventKind::map : EventKind::read}));
    }
  };
  OrderedRuns first(analyser, "s");
  give(first);
  first.finish();
  const DriveProfile drive = disk();
  auto replay = ColdReplay::create(drive, nullptr, analyser.paths());
  ASSERT_TRUE(replay);
  OrderedRuns second(**replay, "s");
  give(second);
  second.finish();
  auto runs = analyser.take_runs();
  add_cold_figures(**replay, runs);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_TRUE(runs[0].cold);
  EXPECT_FALSE(runs[1].cold);
  ASSERT_TRUE(runs[2].cold);
  EXPECT_EQ(runs[2].cold->cost.bytes, 4096U) << "each starts cold";
}

TEST(ColdReplay, refuses_files_that_no_drive_holds) {
  Trace trace;
  trace.paths = {"/a"};
  trace.events = {{.offset_bytes = kPlaceLimitBytes - 1, .length_bytes = 1}};
  const auto runs = analyse(trace, nullptr);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_FALSE(runs[0].cold);
  EXPECT_FALSE(ColdReplay::create(disk(), nullptr, {{.name = "/a", .end_bytes = 1ULL << 53}}));
}

}  // namespace
}  // namespace seekless
