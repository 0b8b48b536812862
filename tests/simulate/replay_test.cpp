// Tests replays of recorded reads on the content as it lies, with hand-made traces whose costs are
// computed by hand.
#include "packer/simulate/replay.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulate/disk.h"

namespace seekless {
namespace {

using testing::ElementsAre;

class Replay : public testing::Test {
 protected:
  static Content make_content() {
    Content content;
    content.sources = {{.path = "/g/a", .size_bytes = 1'000'000},
                       {.path = "/g/b", .size_bytes = 5000}};
    content.assets = {{"a", {.size_bytes = 1'000'000, .stored_bytes = 1'000'000}},
                      {"b", {.size_bytes = 5000, .stored_bytes = 5000, .source = 1}}};
    return content;
  }
  BaselineReplay make(const SimulationOptions& options,
                      const std::vector<DriveProfile>& profiles = {disk()},
                      const std::vector<PlaceRule>& rules = {}) {
    std::vector<ReplayDrive> drives;
    const std::vector<FileToPlace> files = files_of(content_);
    for (const DriveProfile& profile : profiles)
      drives.push_back({profile, lying_at(files, place_files(files, rules, profile).value())});
    return {content_, std::move(drives), options};
  }
  static void start(BaselineReplay& replay) {
    replay.start_trace("menu");
    for (const char* path : {"/g/a", "/g/b", "/lib/x.so"}) ASSERT_TRUE(replay.add_path(path));
  }
  void read(BaselineReplay& replay, uint32_t path, uint64_t offset, uint64_t length,
            uint32_t thread = 0, EventKind kind = EventKind::read) {
    ASSERT_TRUE(replay.add_event({.start_ns = ++clock_ns_,
                                  .offset_bytes = offset,
                                  .length_bytes = length,
                                  .path = path,
                                  .thread = thread,
                                  .kind = kind}));
  }

  const Content content_ = make_content();
  int64_t clock_ns_ = 0;
};

TEST_F(Replay, of_a_tiny_trace_is_what_a_hand_computes) {
  BaselineReplay replay = make({.keeps_moves = true});
  start(replay);
  read(replay, 0, 0, 4096);       // the start of a file: a first window of 16 KiB
  read(replay, 0, 4096, 4096);    // its mark: the next window, 32 KiB
  read(replay, 0, 8192, 4096);    // in memory
  read(replay, 0, 500'000, 100);  // at random: the one page
  read(replay, 2, 0, 1'000'000);  // not in the content, so nothing is read
  read(replay, 1, 0, 5000);       // a file of two pages
  read(replay, 1, 0, 5000);       // in memory
  replay.finish_trace();
  ASSERT_EQ(replay.runs().at("menu").size(), 1U);
  const ReplayedRun& run = replay.runs().at("menu")[0];
  const SimulatedLoad& load = run.loads[0];
  EXPECT_EQ(load.cost.reads, 4U);
  EXPECT_EQ(load.cost.bytes, 16384U + 32768 + 4096 + 5000);
  EXPECT_EQ(load.needed_bytes, 3 * 4096U + 100 + 5000);
  ASSERT_EQ(load.moves.size(), 4U);
  EXPECT_EQ(load.moves[0].position_bytes, 0U);
  EXPECT_EQ(load.moves[2].position_bytes, 499'712U) << "the page of byte 500,000";
  EXPECT_EQ(load.moves[3].position_bytes, 1'003'520U) << "the next file begins at the next page";
  EXPECT_THAT(run.assets, ElementsAre(0, 1));
}

TEST_F(Replay, bound_is_each_needed_byte_at_the_rate_there_and_the_way_to_it) {
  BaselineReplay replay = make({}, {disk()}, {{"a", 999'000'000'000}});
  start(replay);
  read(replay, 0, 500'000, 300'000);
  read(replay, 0, 600'000, 400'000);  // half of it again
  replay.finish_trace();
  const SimulatedLoad& load = replay.runs().at("menu")[0].loads[0];
  const Drive drive(disk());
  EXPECT_EQ(load.needed_bytes, 500'000U);
  EXPECT_NEAR(load.bound_seconds * 1e3,
              drive.least_access_ms(drive.capacity_bytes() / 2, 999'000'500'000) +
                  drive.sweep_ms(999'000'500'000, 500'000),
              1e-6);
}

// Reads 128 KiB at a time, which leaves nothing for the system's read-ahead; the drive reads ahead.
TEST_F(Replay, leaves_the_drive_alone_between_reads_if_it_did_so_when_recorded) {
  const auto busy_ms = [&](bool has_pauses, int64_t pause_ns) {
    BaselineReplay replay = make({.has_pauses = has_pauses});
    start(replay);
    for (int64_t i = 0; i < 2; ++i)
      EXPECT_TRUE(replay.add_event({.start_ns = i * (1'000'000 + pause_ns),
                                    .duration_ns = 1'000'000,
                                    .offset_bytes = static_cast<uint64_t>(i) * 131'072,
                                    .length_bytes = 131'072}));
    replay.finish_trace();
    return replay.runs().at("menu")[0].loads[0].cost.seconds * 1e3;
  };
  const double without_ms = busy_ms(false, 10'000'000);
  // A read of 128 KiB only waits for the interface; the recorder's own 0.05 ms are no pause.
  EXPECT_NEAR(without_ms - busy_ms(true, 10'000'000), 131'072 / 126e3 - 0.08 - 131'072 / 600e3,
              0.01);
  EXPECT_NEAR(without_ms - busy_ms(true, 250'000), 0.2, 0.01);
  EXPECT_EQ(without_ms, busy_ms(true, 50'000));
}

TEST_F(Replay, each_run_starts_cold) {
  BaselineReplay replay = make({});
  start(replay);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(replay.add_mark({.scenario = "level", .begins = true}));
    read(replay, 1, 0, 5000);
    ASSERT_TRUE(replay.add_mark({.scenario = "level", .begins = false}));
  }
  replay.finish_trace();
  const auto& runs = replay.runs().at("level");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].loads[0].cost.bytes, 5000U);
  EXPECT_EQ(runs[1].loads[0].cost.bytes, 5000U);
  EXPECT_FALSE(replay.runs().contains("menu")) << "it reads nothing";
}

TEST_F(Replay, is_charged_to_each_drive_alone) {
  const DriveProfile ssd = find_profile("sata-ssd").value();
  BaselineReplay both = make({}, {disk(), ssd});
  BaselineReplay alone = make({}, {ssd});
  for (BaselineReplay* replay : {&both, &alone}) {
    start(*replay);
    for (uint64_t i = 0; i < 50; ++i) read(*replay, 0, i * 37 % 50 * 20'000, 5000);
    replay->finish_trace();
  }
  const auto& loads = both.runs().at("menu")[0].loads;
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_GT(loads[0].cost.seeks, 0U);
  EXPECT_EQ(loads[1].cost.seeks, 0U);
  EXPECT_EQ(loads[0].cost.bytes, loads[1].cost.bytes) << "the page cache is the same";
  EXPECT_EQ(loads[1].cost.seconds, alone.runs().at("menu")[0].loads[0].cost.seconds);
}

TEST_F(Replay, counts_and_cuts_reads_past_the_end) {
  BaselineReplay replay = make({});
  start(replay);
  read(replay, 1, 4000, 2000);
  read(replay, 1, 6000, 10);
  read(replay, 1, kPlaceLimitBytes, kPlaceLimitBytes);
  read(replay, 1, 0, kWholeFile);               // recorded by name only
  read(replay, 1, 0, 8192, 0, EventKind::map);  // a mapping's last page
  read(replay, 0, 0, 1'000'000);
  replay.finish_trace();
  EXPECT_EQ(replay.reads_past_end(), (std::map<uint32_t, uint64_t>{{1, 3}}));
  EXPECT_EQ(replay.runs().at("menu")[0].loads[0].cost.bytes, 1'005'000U);
}

TEST_F(Replay, of_a_mapping_reads_around_its_pages) {
  BaselineReplay replay = make({});
  start(replay);
  read(replay, 0, 500'000, 1, 0, EventKind::map);
  replay.finish_trace();
  EXPECT_EQ(replay.runs().at("menu")[0].loads[0].cost.bytes, 128U * 1024);
}

// Makes three entries of 10,000 bytes in an archive; the read of the first spills into the second.
TEST(ReplayOfArchive, wants_what_reads_are_meant_for_and_not_what_they_graze) {
  Content content;
  content.sources = {{.path = "/g/a.zip",
                      .size_bytes = 40'000,
                      .directory_offset_bytes = 31'000,
                      .kind = SourceKind::zip}};
  for (uint32_t i = 0; i < 3; ++i)
    content.assets.push_back({content.paths.add("entry" + std::to_string(i)),
                              {.size_bytes = 10'000,
                               .stored_bytes = 10'000,
                               .header_offset_bytes = i * uint64_t{10'100},
                               .header_bytes = 100,
                               .entry = i}});
  BaselineReplay replay(content, {{disk(), side_by_side(content, disk()).value()}}, {});
  replay.start_trace("menu");
  ASSERT_TRUE(replay.add_path("/g/a.zip"));
  ASSERT_TRUE(replay.add_event({.start_ns = 1, .offset_bytes = 0, .length_bytes = 12'288}));
  ASSERT_TRUE(replay.add_event({.start_ns = 2, .offset_bytes = 20'300, .length_bytes = 10'000}));
  replay.finish_trace();
  EXPECT_THAT(replay.runs().at("menu")[0].assets, ElementsAre(0, 2));
}

// Two threads take turns to read files that lie far apart.
TEST_F(Replay, threads_wait_at_the_drive_together_as_far_as_the_queue_is_deep) {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 100'000'000},
                     {.path = "/g/b", .size_bytes = 100'000'000}};
  content.assets = {{"a", {.size_bytes = 100'000'000, .stored_bytes = 100'000'000}}};
  const auto positions =
      place_files(files_of(content), std::vector<PlaceRule>{{"b", 400'000'000'000}}, disk());
  std::vector<double> seconds;
  std::vector<uint64_t> bytes;
  for (const uint32_t depth : {1U, 2U, 8U}) {
    BaselineReplay replay(content, {{disk(), lying_at(files_of(content), *positions)}},
                          {.read_ahead = kNoReadAhead, .queue_depth = depth});
    start(replay);
    // Eight threads read random places of both files.
    for (uint64_t i = 0; i < 2000; ++i)
      read(replay, static_cast<uint32_t>(i % 2), i * 7919 % 24000 * 4096, 4096,
           static_cast<uint32_t>(i % 8));
    replay.finish_trace();
    seconds.push_back(replay.runs().at("menu")[0].loads[0].cost.seconds);
    bytes.push_back(replay.runs().at("menu")[0].loads[0].cost.bytes);
  }
  EXPECT_LT(seconds[1], seconds[0]);
  EXPECT_LT(seconds[2], seconds[0] * 0.6);
  EXPECT_EQ(bytes[0], bytes[2]) << "each read is served once";
}

TEST_F(Replay, of_one_thread_is_the_same_whatever_the_depth_of_the_queue) {
  std::vector<SimulatedLoad> loads;
  for (const uint32_t depth : {1U, 32U}) {
    BaselineReplay replay = make({.read_ahead = kNoReadAhead, .queue_depth = depth});
    start(replay);
    for (uint64_t i = 0; i < 200; ++i) read(replay, 0, i * 53 % 200 * 4096, 4096);
    replay.finish_trace();
    loads.push_back(replay.runs().at("menu")[0].loads[0]);
  }
  EXPECT_EQ(loads[0].cost.seconds, loads[1].cost.seconds);
  EXPECT_EQ(loads[0].cost.seeks, loads[1].cost.seeks);
}

TEST(Median, is_the_run_in_the_middle_by_seconds) {
  std::vector<SimulatedLoad> loads(4);
  for (size_t i = 0; i < 4; ++i) loads[i].cost.seconds = std::array{3.0, 1.0, 4.0, 2.0}[i];
  EXPECT_EQ(&median({&loads[0]}), &loads[0]);
  EXPECT_EQ(&median({&loads[0], &loads[1], &loads[2]}), &loads[0]);
  EXPECT_EQ(&median({&loads[0], &loads[1], &loads[2], &loads[3]}), &loads[3]) << "the lower one";
}

}  // namespace
}  // namespace seekless
