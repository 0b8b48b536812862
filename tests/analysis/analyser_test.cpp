#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/analysis/trace_analyser.h"

namespace seekless {
namespace {

using testing::ElementsAre;

constexpr int64_t kMs = 1'000'000;

// Paths are numbered in the order they are first read.
class Analyser : public testing::Test {
 protected:
  uint32_t path(const std::string& name) {
    for (uint32_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return i;
    names_.push_back(name);
    EXPECT_TRUE(runs_.add_path(name));
    return static_cast<uint32_t>(names_.size() - 1);
  }
  void add(const Event& event) { ASSERT_TRUE(runs_.add_event(event)); }
  void read(const std::string& name, uint64_t offset, uint64_t length, uint32_t thread = 1) {
    clock_ns_ += kMs;
    add({.start_ns = clock_ns_,
         .offset_bytes = offset,
         .length_bytes = length,
         .path = path(name),
         .process = 1,
         .thread = thread});
  }
  void timed(int64_t start_ns, int64_t duration_ns, uint32_t thread = 1) {
    add({.start_ns = start_ns,
         .duration_ns = duration_ns,
         .length_bytes = 10,
         .path = path("/a"),
         .process = 1,
         .thread = thread});
  }
  RunFigures finish() {
    runs_.finish();
    auto runs = analyser_.take_runs();
    EXPECT_EQ(runs.size(), 1U);
    return runs.empty() ? RunFigures() : runs[0];
  }

  std::vector<std::string> names_;
  int64_t clock_ns_ = 0;
  TraceAnalyser analyser_{"game.1", nullptr, 10};
  OrderedRuns runs_{analyser_, "game"};
};

TEST_F(Analyser, counts_bytes_once_for_what_is_needed) {
  read("/a", 0, 100);
  read("/a", 50, 100);
  read("/a", 0, 150);
  read("/b", 0, 10);
  const RunFigures run = finish();
  EXPECT_EQ(run.reads, 4U);
  EXPECT_EQ(run.bytes, 360U);
  EXPECT_EQ(run.needed_bytes, 160U);
  EXPECT_EQ(run.repeated_bytes(), 200U);
  EXPECT_EQ(run.useless_reads, 1U);
  EXPECT_EQ(run.files, 2U);
  ASSERT_EQ(run.top_repeated.size(), 1U);
  EXPECT_EQ(run.top_repeated[0].path, "/a");
  EXPECT_EQ(run.top_repeated[0].repeated_bytes(), 200U);
}

TEST_F(Analyser, finds_sixteen_kib_times_21_that_could_be_one) {
  for (uint64_t i = 0; i < 21; ++i) read("/a", i * 16384, 16384);
  const RunFigures run = finish();
  EXPECT_EQ(run.chains.chains, 1U);
  EXPECT_EQ(run.chains.reads, 21U);
  EXPECT_EQ(run.chains.bytes, 336U * 1024);
  EXPECT_EQ(run.chains.reads_saved, 20U);
  ASSERT_EQ(run.top_chains.size(), 1U);
  EXPECT_EQ(run.top_chains[0].reads_needed(), 1U);
  EXPECT_EQ(run.median_bytes, 16384U);
  EXPECT_EQ(run.small_reads, 21U);
}

TEST_F(Analyser, a_chain_longer_than_a_long_read_needs_several) {
  for (uint64_t i = 0; i < 50; ++i) read("/a", i * 65536, 65536);  // 3.2 MB
  const RunFigures run = finish();
  EXPECT_EQ(run.top_chains[0].reads_needed(), 2U);
  EXPECT_EQ(run.chains.reads_saved, 48U);
}

TEST_F(Analyser, long_reads_that_adjoin_are_no_chain) {
  for (uint64_t i = 0; i < 5; ++i) read("/a", i * kSmallReadBytes, kSmallReadBytes);
  const RunFigures run = finish();
  EXPECT_EQ(run.chains.chains, 0U);
  EXPECT_EQ(run.small_reads, 0U);
}

TEST_F(Analyser, the_same_chain_again_is_shown_once) {
  for (int round = 0; round < 3; ++round)
    for (uint64_t i = 0; i < 4; ++i) read("/a", i * 10, 10);
  const RunFigures run = finish();
  EXPECT_EQ(run.chains.chains, 3U);
  ASSERT_EQ(run.top_chains.size(), 1U);
  EXPECT_EQ(run.top_chains[0].times, 3U);
}

TEST_F(Analyser, tells_interleaving_and_the_longest_stretch) {
  read("/a", 0, 10);
  read("/b", 0, 10);
  read("/a", 10, 1000);
  read("/b", 10, 10);
  read("/b", 20, 10);
  read("/b", 30, 10);
  const OrderFigures order = finish().order;
  EXPECT_EQ(order.file_changes, 3U);
  EXPECT_EQ(order.longest_stretch_reads, 3U);
  EXPECT_EQ(order.longest_stretch_bytes, 1000U);
  EXPECT_EQ(order.forward_jumps, 0U);
  EXPECT_EQ(order.backward_jumps, 0U);
}

TEST_F(Analyser, tells_jumps_within_a_file) {
  read("/a", 1000, 24);
  read("/a", 2048, 10);  // 1024 forward
  read("/b", 7, 1);
  read("/a", 2058, 6);  // in order
  read("/a", 16, 1);    // 2048 backward
  const OrderFigures order = finish().order;
  EXPECT_EQ(order.forward_jumps, 1U);
  EXPECT_EQ(order.backward_jumps, 1U);
  EXPECT_EQ(order.jumped_bytes, 1024U + 2048);
  EXPECT_EQ(order.median_jump_bytes, 1024U);
}

TEST_F(Analyser, tells_time_in_reads_over_threads) {
  timed(0, 10 * kMs, 1);
  timed(5 * kMs, 10 * kMs, 2);
  timed(40 * kMs, 100'000, 1);  // too short for a drive
  timed(90 * kMs, 10 * kMs, 1);
  const RunFigures run = finish();
  EXPECT_EQ(run.time.span_ns, 100U * kMs);
  EXPECT_EQ(run.time.read_ns, 25U * kMs + 100'000);
  EXPECT_EQ(run.time.summed_ns, 30U * kMs + 100'000);
  EXPECT_EQ(run.time.waits, 3U);
  EXPECT_EQ(run.time.wait_ns, 30U * kMs);
  EXPECT_EQ(run.time.most_at_once, 2U);
  EXPECT_EQ(run.threads, 2U);
  EXPECT_EQ(run.top_threads[0].reads, 3U);
}

TEST_F(Analyser, a_long_read_from_memory_is_no_wait) {
  add({.duration_ns = 4 * kMs, .length_bytes = 10'000'000, .path = path("/a")});
  EXPECT_EQ(finish().time.waits, 0U);
}

TEST_F(Analyser, durations_that_are_missing_are_not_zero) {
  timed(0, 10 * kMs);
  timed(20 * kMs, kUnknownDuration);
  const RunFigures run = finish();
  EXPECT_EQ(run.reads, 2U);
  EXPECT_EQ(run.time.timed_reads, 1U);
  EXPECT_EQ(run.time.read_ns, 10U * kMs);
}

TEST_F(Analyser, marks_set_the_span) {
  ASSERT_TRUE(runs_.add_mark({0, "map", true}));
  timed(10 * kMs, kMs);
  ASSERT_TRUE(runs_.add_mark({50 * kMs, "map", false}));
  const RunFigures run = finish();
  EXPECT_EQ(run.scenario, "map");
  EXPECT_EQ(run.time.span_ns, 50U * kMs);
}

TEST_F(Analyser, counts_failed_opens_by_path_and_process) {
  const auto fail = [&](const std::string& name, uint32_t process, int64_t took) {
    add({.duration_ns = took,
         .path = path(name),
         .process = process,
         .os_error = 2,
         .kind = EventKind::open});
  };
  fail("/x", 1, 5);
  fail("/y", 1, 5);
  fail("/y", 2, 7);
  add({.path = path("/y"), .kind = EventKind::open});
  const RunFigures run = finish();
  EXPECT_EQ(run.failed_opens, 3U);
  EXPECT_EQ(run.failed_ns, 17U);
  EXPECT_EQ(run.opens, 1U);
  ASSERT_EQ(run.top_failed.size(), 2U);
  EXPECT_EQ(run.top_failed[0].path, "/y");
  EXPECT_EQ(run.top_failed[0].opens, 2U);
  ASSERT_EQ(run.top_failed_processes.size(), 2U);
  EXPECT_EQ(run.top_failed_processes[0].process, 1U);
  EXPECT_EQ(run.reads, 0U) << "opens are no reads";
}

TEST_F(Analyser, keeps_empty_reads_and_mapped_memory_apart) {
  read("/a", 0, 0);
  add({.length_bytes = 4096, .path = path("/a"), .kind = EventKind::map});
  const RunFigures run = finish();
  EXPECT_EQ(run.reads, 0U);
  EXPECT_EQ(run.empty_reads, 1U);
  EXPECT_EQ(run.maps, 1U);
  EXPECT_EQ(run.mapped_bytes, 4096U);
  EXPECT_EQ(run.files, 0U);
}

TEST_F(Analyser, knows_of_names_alone_that_they_were_read) {
  add({.length_bytes = kWholeFile, .path = path("/a")});
  const RunFigures run = finish();
  EXPECT_EQ(run.reads, 1U);
  EXPECT_EQ(run.whole_files, 1U);
  EXPECT_EQ(run.bytes, 0U);
}

TEST_F(Analyser, survives_absurd_places_and_times) {
  const uint64_t far = kPlaceLimitBytes;
  for (uint32_t i = 0; i < 4096; ++i)
    add({.start_ns = i % 2 == 0 ? kTimeLimitNs : -kTimeLimitNs,
         .duration_ns = kTimeLimitNs,
         .offset_bytes = 0,
         .length_bytes = far,
         .path = path("/a"),
         .process = UINT32_MAX,
         .thread = UINT32_MAX});
  add({.start_ns = -kTimeLimitNs, .offset_bytes = far, .path = path("/a")});
  const RunFigures run = finish();
  EXPECT_EQ(run.bytes, UINT64_MAX) << "the sum stays at its greatest value";
  EXPECT_EQ(run.needed_bytes, far);
  EXPECT_EQ(run.time.summed_ns, UINT64_MAX);
  EXPECT_EQ(run.time.span_ns, 3 * static_cast<uint64_t>(kTimeLimitNs));
}

TEST_F(Analyser, of_one_event_is_defined) {
  read("/a", 5, 1);
  const RunFigures run = finish();
  EXPECT_EQ(run.time.span_ns, 0U);
  EXPECT_THAT(run.sizes, ElementsAre(testing::Field(&SizeClass::from_bytes, 1U)));
}

TEST_F(Analyser, lists_are_no_longer_than_asked_for_and_in_a_fixed_order) {
  for (const char* name : {"/d", "/b", "/c", "/a"})
    for (int i = 0; i < 4; ++i) read(std::string(name) + std::to_string(i), 0, i == 0 ? 100 : 50);
  const RunFigures run = finish();
  ASSERT_EQ(run.top_files.size(), 10U);
  EXPECT_EQ(run.top_files[0].path, "/a0");
  EXPECT_EQ(run.top_files[3].path, "/d0");
  EXPECT_EQ(run.top_files[4].path, "/a1");
}

// An archive with two entries and a directory; a loose file.
Content small_content() {
  Content content;
  content.sources = {{.path = "/g/p.pk3",
                      .size_bytes = 1000,
                      .directory_offset_bytes = 800,
                      .kind = SourceKind::zip},
                     {.path = "/g/one", .size_bytes = 100}};
  const auto zipped = [](PooledPath path, uint64_t header, uint64_t size) {
    return Asset{path,
                 {.size_bytes = size,
                  .stored_bytes = size,
                  .header_offset_bytes = header,
                  .header_bytes = 30,
                  .source = 0,
                  .entry = 0}};
  };
  content.assets = {zipped("a", 0, 170),
                    zipped("b", 200, 270),
                    {"one", {.size_bytes = 100, .stored_bytes = 100, .source = 1}}};
  return content;
}

TEST(AnalyserWithContent, maps_bytes_to_entries_headers_and_directories) {
  const Content content = small_content();
  const Locator locator(content);
  const KnownContent known{content, locator};
  TraceAnalyser analyser("t", &known, 10);
  OrderedRuns runs(analyser, "s");
  for (const char* path : {"/g/p.pk3", "/lib/c.so", "/g/one", "/g/./p.pk3"})
    ASSERT_TRUE(runs.add_path(path));
  const auto read = [&](uint32_t path, uint64_t offset, uint64_t length) {
    ASSERT_TRUE(runs.add_event(
        {.duration_ns = 1000, .offset_bytes = offset, .length_bytes = length, .path = path}));
  };
  read(0, 0, 230);         // header and data of a, header of b
  read(0, 800, 200);       // the directory
  read(0, 990, 30);        // the directory's end, and bytes past the end of the file
  read(1, 0, 50);          // another file
  read(2, 0, kWholeFile);  // the whole file, known only by its name
  read(3, 30, 170);        // the data of a again, under another name of the archive
  runs.finish();
  const RunFigures run = analyser.take_runs().at(0);
  ASSERT_TRUE(run.content);
  EXPECT_EQ(run.content->data_bytes, 170U + 100 + 170);
  EXPECT_EQ(run.content->header_bytes, 60U);
  EXPECT_EQ(run.content->directory_bytes, 210U);
  EXPECT_EQ(run.content->other_bytes, 20U);
  EXPECT_EQ(run.content->outside_bytes, 50U);
  EXPECT_EQ(run.content->outside_reads, 1U);
  EXPECT_EQ(run.content->needed_bytes, 230U + 200 + 20 + 100);
  EXPECT_EQ(run.needed_bytes, run.content->needed_bytes + 50);
  EXPECT_EQ(run.content->entries, 3U);
  EXPECT_EQ(run.files, 3U) << "one of them has two names";
  ASSERT_EQ(run.content->top_entries.size(), 3U);
  const FileFigures& first = run.content->top_entries[0];
  EXPECT_EQ(first.path, "a");
  EXPECT_EQ(first.archive, "/g/p.pk3");
  EXPECT_EQ(first.reads, 2U);
  EXPECT_EQ(first.bytes, 200U + 170);
  EXPECT_EQ(first.needed_bytes, 200U);
  EXPECT_EQ(first.read_ns, 130U + 739 + 1000) << "its share of the first read";
  ASSERT_EQ(run.content->top_repeated.size(), 2U);
  EXPECT_EQ(run.content->top_repeated[0].path, "a");
  EXPECT_EQ(run.content->top_repeated[1].path, "(central directory of p.pk3)");
  ASSERT_EQ(run.content->top_outside.size(), 1U);
  EXPECT_EQ(run.content->top_outside[0].path, "/lib/c.so");
}

}  // namespace
}  // namespace seekless
