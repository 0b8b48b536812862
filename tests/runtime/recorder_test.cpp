#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/dialect.h"
#include "runtime/event_ring.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using runtime::EventRing;
using runtime::RecordedEvent;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(EventRing, gives_back_in_order_and_refuses_what_does_not_fit) {
  EventRing ring(4 * 64 + 63, runtime::Memory());
  RecordedEvent event;
  EXPECT_FALSE(ring.pop(event));
  for (uint64_t round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 4; ++i) EXPECT_TRUE(ring.push({.asset = 10 * round + i}));
    EXPECT_FALSE(ring.push({.asset = 99}));
    for (uint64_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(ring.pop(event));
      EXPECT_EQ(event.asset, 10 * round + i);
    }
    EXPECT_FALSE(ring.pop(event));
  }
  EXPECT_EQ(ring.pushed(), 12U);
}

TEST(EventRing, loses_nothing_that_it_took_from_many_threads) {
  EventRing ring(16 * 64, runtime::Memory());
  std::atomic<uint64_t> taken = 0;
  std::atomic<bool> ends = false;
  std::vector<uint64_t> next(4, 0);
  uint64_t popped = 0;
  {
    std::vector<std::jthread> threads;
    for (uint32_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (uint64_t i = 0; i < 20000; ++i) {
          while (!ring.push({.asset = i, .thread = t})) std::this_thread::yield();
          ++taken;
        }
      });
    std::jthread reader([&] {
      RecordedEvent event;
      for (;;) {
        const bool was_last = ends;
        while (ring.pop(event)) {
          EXPECT_EQ(event.asset, next[event.thread]++);
          ++popped;
        }
        if (was_last) return;
        std::this_thread::yield();
      }
    });
    threads.clear();
    ends = true;
  }
  EXPECT_EQ(taken, 80000U);
  EXPECT_EQ(popped, 80000U);
}

struct GameToRecord : SetMaker {
  GameToRecord() {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    add("text", "some text", {menu});
    add("a \"quoted\" name", "quoted", {menu});
    add("large", noise(200'000, 1), {menu});
    write();
  }
};

class Recorded {
 public:
  std::string path() const { return folder_.path("game.trace"); }

  void start(skl_context* context, uint64_t ring_bytes = 0, const char* scenario = nullptr) {
    const skl_recorder_options options = {sizeof(options), ring_bytes, scenario};
    Failure failure;
    ASSERT_EQ(skl_recorder_start(context, path().c_str(), &options, &failure), SKL_OK)
        << failure.message;
  }
  // Ends the recording, and reads what was written.
  void stop(skl_context* context) {
    Failure failure;
    ASSERT_EQ(skl_recorder_stop(context, &lost, &failure), SKL_OK) << failure.message;
    read();
  }
  void read() {
    const auto report = read_trace(path(), {}, trace);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->unparsed_lines, 0U);
    EXPECT_THAT(report->warnings, ElementsAre());
  }
  // Returns "path offset+length" for each read.
  std::vector<std::string> reads() const {
    std::vector<std::string> lines;
    for (const Event& event : trace.events)
      if (event.kind == EventKind::read)
        lines.push_back(trace.paths[event.path] + " " + std::to_string(event.offset_bytes) + "+" +
                        std::to_string(event.length_bytes));
    return lines;
  }

  Trace trace;
  uint64_t lost = 0;

 private:
  TestFolder folder_;
};

TEST(Recorder, writes_what_was_found_and_read_as_a_trace) {
  const GameToRecord game;
  const Context context;
  context.mount(game.folder(), {.at = "base"});
  Recorded recorded;
  recorded.start(context, 0, "boot");
  context.read("base/text");
  ASSERT_EQ(skl_recorder_mark(context, "menu"), SKL_OK);
  context.read("base/a \"quoted\" name");
  char part[100];
  EXPECT_EQ(skl_read(context, context.find("base/large"), 1000, part, 100, nullptr, nullptr),
            SKL_OK);
  EXPECT_EQ(skl_read(context, context.find("base/large"), 199'950, part, 100, nullptr, nullptr),
            SKL_OK);
  ASSERT_EQ(skl_recorder_mark(context, nullptr), SKL_OK);
  context.read("base/text");
  context.read("missing");
  recorded.stop(context);
  EXPECT_EQ(recorded.lost, 0U);
  EXPECT_EQ(recorded.trace.header.scenario, "boot");
  EXPECT_GT(recorded.trace.header.began_unix_ns, 0);
  EXPECT_THAT(recorded.trace.paths, ElementsAre("text", "a \"quoted\" name", "large"));
  EXPECT_THAT(recorded.reads(), ElementsAre("text 0+9", "a \"quoted\" name 0+6", "large 1000+100",
                                            "large 199950+50", "text 0+9"));
  ASSERT_EQ(recorded.trace.marks.size(), 2U);
  EXPECT_EQ(recorded.trace.marks[0].scenario, "menu");
  EXPECT_TRUE(recorded.trace.marks[0].begins);
  EXPECT_EQ(recorded.trace.marks[1].scenario, "menu");
  EXPECT_FALSE(recorded.trace.marks[1].begins);
  int64_t latest = 0;
  for (const Event& event : recorded.trace.events) {
    EXPECT_GE(event.start_ns, latest);
    EXPECT_GE(event.duration_ns, 0);
    latest = event.start_ns;
  }
}

TEST(Recorder, writes_what_a_sweep_hands_out) {
  const GameToRecord game;
  const Context context;
  context.mount(game.folder());
  Recorded recorded;
  recorded.start(context);
  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "menu", &sweep, nullptr), SKL_OK);
  skl_lease lease;
  while (skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr) == SKL_OK) skl_lease_release(&lease);
  skl_sweep_close(sweep);
  recorded.stop(context);
  EXPECT_THAT(recorded.reads(),
              ElementsAre("text 0+9", "a \"quoted\" name 0+6", "large 0+65536", "large 65536+65536",
                          "large 131072+65536", "large 196608+3392"));
}

TEST(Recorder, names_what_was_read_of_a_mount_that_is_gone) {
  const GameToRecord game;
  const Context context;
  const auto id = context.mount(game.folder());
  Recorded recorded;
  recorded.start(context);
  context.read("text");
  ASSERT_EQ(skl_unmount(context, id, nullptr), SKL_OK);
  recorded.stop(context);
  EXPECT_EQ(recorded.lost, 0U);
  EXPECT_THAT(recorded.reads(), ElementsAre("text 0+9"));
}

TEST(Recorder, counts_what_the_ring_has_no_room_for) {
  const GameToRecord game;
  const Context context;
  context.mount(game.folder());
  Recorded recorded;
  recorded.start(context, 64);
  constexpr int kReads = 2000;
  for (int i = 0; i < kReads; ++i) context.read("text");
  Failure failure;
  ASSERT_EQ(skl_recorder_stop(context, &recorded.lost, &failure), SKL_OK) << failure.message;
  EXPECT_GT(recorded.lost, 0U);
  // On a busy machine all reads may be lost. Then the file counts as read whole, with a warning.
  ASSERT_TRUE(read_trace(recorded.path(), {}, recorded.trace));
  const auto kept = std::ranges::count_if(
      recorded.trace.events, [](const Event& event) { return event.length_bytes != kWholeFile; });
  EXPECT_EQ(recorded.lost + static_cast<uint64_t>(kept), 2U * kReads) << "finds and reads";
}

TEST(Recorder, many_threads_record_at_once) {
  const GameToRecord game;
  const Context context;
  context.mount(game.folder());
  Recorded recorded;
  recorded.start(context, uint64_t{8} << 20);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) context.read("text");
      });
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(skl_recorder_mark(context, i % 2 == 0 ? "menu" : nullptr), SKL_OK);
  }
  recorded.stop(context);
  EXPECT_EQ(recorded.lost, 0U);
  EXPECT_EQ(recorded.reads().size(), 2000U);
  EXPECT_EQ(recorded.trace.marks.size(), 20U);
}

TEST(Recorder, is_started_once_and_stopped_once) {
  const Context context;
  Recorded recorded;
  Failure failure;
  EXPECT_EQ(skl_recorder_stop(context, nullptr, &failure), SKL_INVALID);
  EXPECT_EQ(skl_recorder_mark(context, "menu"), SKL_INVALID);
  EXPECT_EQ(skl_recorder_start(context, "/no/such/folder/x", nullptr, &failure), SKL_NOT_FOUND);
  EXPECT_EQ(skl_recorder_start(context, nullptr, nullptr, nullptr), SKL_INVALID);
  recorded.start(context);
  EXPECT_EQ(skl_recorder_start(context, recorded.path().c_str(), nullptr, &failure), SKL_INVALID);
  EXPECT_THAT(failure.message, HasSubstr("going on"));
  EXPECT_EQ(skl_recorder_mark(context, "line\nbreak"), SKL_INVALID);
  EXPECT_EQ(skl_recorder_mark(context, ""), SKL_INVALID);
  recorded.stop(context);
  EXPECT_EQ(skl_recorder_stop(context, nullptr, nullptr), SKL_INVALID);
  EXPECT_THAT(recorded.reads(), ElementsAre());
  const skl_recorder_options huge = {sizeof(huge), UINT64_MAX, nullptr};
  EXPECT_EQ(skl_recorder_start(context, recorded.path().c_str(), &huge, nullptr), SKL_INVALID);
  const skl_recorder_options unsized = {};
  EXPECT_EQ(skl_recorder_start(context, recorded.path().c_str(), &unsized, nullptr), SKL_INVALID);
}

TEST(Recorder, is_stopped_by_destroying_the_context) {
  const GameToRecord game;
  Recorded recorded;
  {
    const Context context;
    context.mount(game.folder());
    recorded.start(context);
    context.read("text");
  }
  recorded.read();
  EXPECT_THAT(recorded.reads(), ElementsAre("text 0+9"));
}

TEST(Recorder, tells_of_a_full_disk_and_lets_the_game_go_on) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const GameToRecord game;
  const Context context;
  context.mount(game.folder());
  ASSERT_EQ(skl_recorder_start(context, "/dev/full", nullptr, nullptr), SKL_OK);
  EXPECT_EQ(context.read("text"), "some text");
  Failure failure;
  EXPECT_EQ(skl_recorder_stop(context, nullptr, &failure), SKL_IO);
  EXPECT_EQ(failure.os_error, ENOSPC);
  EXPECT_EQ(context.read("text"), "some text");
}

}  // namespace
}  // namespace seekless
