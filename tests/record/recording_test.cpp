#include "packer/record/recording.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/record/internal/call_filter.h"
#include "packer/record/marks.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

class LiveTrace : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  static void add_read(Recording& recording, uint64_t length_bytes) {
    const auto lock = recording.lock();
    Event event;
    event.start_ns = recording.now_ns();
    event.length_bytes = length_bytes;
    ASSERT_TRUE(recording.window().add(event));
  }
  static Result<ImportReport> read_back(const std::string& path, Trace& trace) {
    return read_trace(path, {}, trace);
  }

  TestFolder folder_;
};

TEST_F(LiveTrace, is_on_disk_soon_after_it_happened) {
  for (const std::string name : {"t.trace", "t.jsonl"}) {
    auto recording = Recording::create(path(name), {});
    ASSERT_TRUE(recording) << recording.error().message;
    ASSERT_TRUE((*recording)->begin({.scenario = "menu"}));
    ASSERT_TRUE((*recording)->sink().add_path("/a"));
    add_read(**recording, 5);
    Trace trace;
    for (int tries = 0; trace.events.empty() && tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      trace = {};
      (void)read_back(path(name), trace);
    }
    ASSERT_EQ(trace.events.size(), 1U) << name;
    add_read(**recording, 6);
    ASSERT_TRUE((*recording)->finish());
    trace = {};
    const auto report = read_back(path(name), trace);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->warnings.empty());
    EXPECT_EQ(trace.events.size(), 2U);
    EXPECT_EQ((*recording)->report().read_bytes, 11U);
  }
}

TEST_F(LiveTrace, leaves_what_was_there_until_it_begins) {
  std::ofstream(path("old.trace")) << "old";
  ASSERT_TRUE(Recording::create(path("old.trace"), {}));
  EXPECT_EQ(std::filesystem::file_size(path("old.trace")), 3U);
  ASSERT_TRUE(Recording::create(path("new.trace"), {}));
  EXPECT_FALSE(std::filesystem::exists(path("new.trace")));
  const auto folder = Recording::create(folder_.path(), {});
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("a folder"));
}

TEST_F(LiveTrace, marks_part_events_by_when_they_began) {
  auto recording = Recording::create(path("t.trace"), {.default_scenario = "menu"});
  ASSERT_TRUE(recording);
  ASSERT_TRUE((*recording)->begin({}));
  ASSERT_TRUE((*recording)->sink().add_path("/a"));
  add_read(**recording, 5);
  ASSERT_TRUE((*recording)->mark("map/x", true));
  EXPECT_EQ((*recording)->figures().scenario, "map/x");
  add_read(**recording, 6);
  ASSERT_TRUE((*recording)->mark("", false));
  EXPECT_EQ((*recording)->figures().scenario, "menu");
  ASSERT_TRUE((*recording)->finish());
  Trace trace;
  ASSERT_TRUE(read_back(path("t.trace"), trace));
  ASSERT_EQ(trace.marks.size(), 2U);
  EXPECT_EQ(trace.marks[0].scenario, "map/x");
  EXPECT_FALSE(trace.marks[1].begins);
  EXPECT_EQ(trace.marks[1].scenario, "map/x");
}

TEST_F(LiveTrace, gives_way_to_a_file_that_cannot_follow) {
  auto recording = Recording::create(path("t.trace"), {});
  ASSERT_TRUE(recording);
  ASSERT_TRUE((*recording)->begin({}));
  ASSERT_TRUE((*recording)->sink().add_path("/a"));
  constexpr uint64_t kEvents = 1'000'000;
  for (uint64_t i = 0; i < kEvents; ++i) {
    (*recording)->give_way();
    const auto lock = (*recording)->lock();
    Event event;
    event.offset_bytes = i * 1000 % 77'777'777;
    event.length_bytes = 1;
    ASSERT_TRUE((*recording)->window().add(event));
  }
  ASSERT_TRUE((*recording)->finish());
  EXPECT_EQ((*recording)->report().reads, kEvents);
}

TEST_F(LiveTrace, marks_come_from_other_processes_by_name) {
  std::vector<MarkRequest> requests;
  auto listener = MarkListener::create(path("t.trace"), [&](const MarkRequest& request) {
    requests.push_back(request);
    return request == "bad" ? Result<void>(failed({.found = "a bad one"})) : Result<void>();
  });
  ASSERT_TRUE(listener) << listener.error().message;
  const auto running = find_recordings();
  ASSERT_TRUE(running);
  const auto own = std::ranges::find(*running, path("t.trace"), &RunningRecording::file);
  ASSERT_NE(own, running->end());
  ASSERT_TRUE(send_mark(*own, "map/x"));
  ASSERT_TRUE(send_mark(*own, std::nullopt));
  const auto refused = send_mark(*own, "bad");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a bad one"));
  EXPECT_EQ(requests, (std::vector<MarkRequest>{"map/x", std::nullopt, "bad"}));
}

TEST(CallFilter, jumps_stay_inside_and_it_ends_with_an_answer) {
  const auto filter = make_call_filter();
  ASSERT_LE(filter.size(), static_cast<size_t>(BPF_MAXINSNS));
  for (size_t i = 0; i < filter.size(); ++i) {
    if (BPF_CLASS(filter[i].code) != BPF_JMP) continue;
    EXPECT_LT(i + 1 + filter[i].jt, filter.size());
    EXPECT_LT(i + 1 + filter[i].jf, filter.size());
  }
  EXPECT_EQ(BPF_CLASS(filter.back().code), BPF_RET);
}

}  // namespace
}  // namespace seekless
