#include "packer/record/internal/process_records.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr uint32_t kReads = kIsForReading;

class Records : public testing::Test {
 protected:
  static FileRecord opened(uint64_t handle, std::u16string name, uint32_t flags = kReads) {
    return {.kind = RecordKind::open, .flags = flags, .handle = handle, .text = std::move(name)};
  }
  static FileRecord at(RecordKind kind, uint64_t handle, uint64_t offset, uint64_t length) {
    return {.kind = kind, .handle = handle, .offset = offset, .length = length};
  }
  static FileRecord stands(uint64_t handle, uint64_t length) {
    return {
        .kind = RecordKind::read, .flags = kIsWhereItStands, .handle = handle, .length = length};
  }
  static FileRecord with(RecordKind kind, uint64_t handle, uint64_t other, uint64_t length = 0) {
    return {.kind = kind, .handle = handle, .length = length, .other = other};
  }

  void take(const FileRecord& record) { ASSERT_TRUE(records_.take(record, clock_)); }
  std::vector<std::pair<uint64_t, uint64_t>> all(EventKind kind) {
    EXPECT_TRUE(window_.finish());
    std::vector<std::pair<uint64_t, uint64_t>> found;
    for (const Event& event : trace_.events)
      if (event.kind == kind) found.emplace_back(event.offset_bytes, event.length_bytes);
    return found;
  }

  Trace trace_;
  EventWindow window_{trace_};
  FileCalls calls_{trace_, window_};
  size_t entries_ = 0;
  DriveOfDevice drive_of_ = [](const std::string& device) {
    return device == "\\Device\\HarddiskVolume3" ? "D:" : "";
  };
  TickClock clock_;
  ProcessRecords records_{7, calls_, entries_, drive_of_};
};

TEST_F(Records, reads_that_bypass_the_cache_are_known) {
  take(opened(4, u"\\??\\C:\\a", kReads | kIsUnbuffered));
  take(opened(8, u"\\??\\C:\\b"));
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::read, 4, 0, 512)), 0U);
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::pending, 4, 0, 512)), 0U);
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::position, 4, 0, 512)), std::nullopt);
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::read, 8, 0, 512)), std::nullopt);
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::read, 12, 0, 512)), std::nullopt);
  take(with(RecordKind::duplicate, 4, 12));
  take({.kind = RecordKind::close, .handle = 4});
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::read, 12, 0, 512)), 0U);
  take(opened(4, u"\\??\\C:\\b"));
  EXPECT_EQ(records_.file_read_past_cache(at(RecordKind::read, 4, 0, 512)), std::nullopt);
}

TEST_F(Records, names_become_paths) {
  const auto path = [&](const std::u16string& name) {
    return path_of_nt_name(name, drive_of_).value_or("none");
  };
  EXPECT_EQ(path(u"\\??\\C:\\game\\a.pak"), "C:/game/a.pak");
  EXPECT_EQ(path(u"\\DosDevices\\C:\\game\\Größe \U0001f3ae"), "C:/game/Größe \U0001f3ae");
  EXPECT_EQ(path(u"\\??\\UNC\\server\\share\\a"), "//server/share/a");
  EXPECT_EQ(path(u"\\Device\\Mup\\server\\share\\a"), "//server/share/a");
  EXPECT_EQ(path(u"\\Device\\HarddiskVolume3\\a\\b"), "D:/a/b");
  EXPECT_EQ(path(u"\\??\\unix\\srv\\a"), "/srv/a");
  EXPECT_EQ(path(std::u16string(u"\\??\\C:\\") + char16_t(0xd800) + u"x"), "C:/\xef\xbf\xbdx");
  for (const char16_t* none : {u"", u"\\??\\pipe\\a", u"\\??\\C:", u"\\Device\\NamedPipe\\x",
                               u"\\Device\\HarddiskVolume9\\a", u"\\Device\\Afd", u"relative"})
    EXPECT_EQ(path(none), "none");
}

TEST_F(Records, reads_follow_where_the_file_stands) {
  take(opened(4, u"\\??\\C:\\a"));
  take(stands(4, 100));
  take(at(RecordKind::read, 4, 5000, 10));  // doesn't move the position
  take(stands(4, 1));
  take(at(RecordKind::position, 4, 777, 0));
  take(stands(4, 2));
  EXPECT_THAT(all(EventKind::read),
              ElementsAre(Pair(0, 100), Pair(5000, 10), Pair(100, 1), Pair(777, 2)));
  EXPECT_THAT(trace_.paths, ElementsAre("C:/a"));
  EXPECT_EQ(trace_.events.back().process, 7U);
}

TEST_F(Records, synchronous_files_stand_after_every_read) {
  take(opened(4, u"\\??\\C:\\a", kReads | kIsSynchronous));
  take(at(RecordKind::read, 4, 5000, 10));
  take(stands(4, 1));
  EXPECT_THAT(all(EventKind::read), ElementsAre(Pair(5000, 10), Pair(5010, 1)));
}

TEST_F(Records, duplicates_share_a_position_until_both_are_closed) {
  take(opened(4, u"\\??\\C:\\a"));
  take(with(RecordKind::duplicate, 4, 8));
  take(stands(4, 10));
  take(with(RecordKind::close, 4, 0));
  take(stands(8, 5));
  take(stands(4, 99));  // closed
  EXPECT_THAT(all(EventKind::read), ElementsAre(Pair(0, 10), Pair(10, 5)));
}

TEST_F(Records, handles_from_elsewhere_stand_where_they_stand) {
  FileRecord known = opened(12, u"\\Device\\HarddiskVolume3\\b", 0);
  known.kind = RecordKind::known;
  known.offset = 300;
  take(known);
  take(stands(12, 7));
  EXPECT_THAT(all(EventKind::read), ElementsAre(Pair(300, 7)));
  EXPECT_THAT(trace_.paths, ElementsAre("D:/b"));
  EXPECT_THAT(all(EventKind::open), IsEmpty());
}

TEST_F(Records, opens_that_fail_say_why) {
  FileRecord failed = opened(0, u"\\??\\C:\\missing");
  failed.other = 0xc0000034;
  take(failed);
  take(opened(4, u"\\??\\C:\\there", 0));  // not for reading
  EXPECT_THAT(all(EventKind::open), ElementsAre(Pair(0, 0)));
  EXPECT_EQ(trace_.events.front().os_error, ENOENT);
}

TEST_F(Records, reads_that_go_on_count_with_what_came) {
  take(opened(4, u"\\??\\C:\\a"));
  FileRecord begun = at(RecordKind::pending, 4, 4096, 8192);
  begun.start_ticks = 1000;
  begun.thread = 3;
  for (const uint64_t number : {1, 2, 3, 4}) {
    begun.other = number;
    take(begun);
  }
  FileRecord completed = with(RecordKind::completed, 0, 2, 100);
  completed.end_ticks = 5000;
  take(completed);
  take(completed);                                   // a second time
  take(with(RecordKind::completed, 0, 1, 1 << 30));  // at most what was asked for
  take(with(RecordKind::completed, 0, 3, 0));        // failed, or at the end of the file
  take(with(RecordKind::completed, 0, 77, 5));       // never begun
  take(with(RecordKind::close, 4, 0));               // doesn't end them
  ASSERT_TRUE(records_.finish(clock_));              // number 4
  EXPECT_THAT(all(EventKind::read),
              ElementsAre(Pair(4096, 100), Pair(4096, 8192), Pair(4096, 8192)));
  EXPECT_EQ(trace_.events[1].start_ns, 100'000);
  EXPECT_EQ(trace_.events[1].duration_ns, 400'000);
  EXPECT_EQ(trace_.events[1].thread, 3U);
}

TEST_F(Records, maps_end_where_the_file_does) {
  take(opened(4, u"\\??\\C:\\a"));
  take(with(RecordKind::section, 4, 16, 10'000));
  take(with(RecordKind::close, 4, 0));
  take(at(RecordKind::map, 16, 0, 12'288));
  take(at(RecordKind::map, 16, 4096, 4096));
  take(at(RecordKind::map, 16, 65'536, 4096));
  take(at(RecordKind::map, 20, 0, 4096));  // maps no section
  EXPECT_THAT(all(EventKind::map), ElementsAre(Pair(0, 10'000), Pair(4096, 4096)));
}

TEST_F(Records, nonsense_is_passed_over) {
  take(stands(4, 100));
  take(opened(4, u"\\??\\C:\\a"));
  take(at(RecordKind::read, 4, UINT64_MAX, UINT64_MAX));
  take(at(RecordKind::read, 4, UINT64_MAX - 5, 10));
  take(at(RecordKind::read, 4, 0, 0));
  take(at(RecordKind::position, 4, UINT64_MAX, 0));
  take(with(RecordKind::section, 4, 16, UINT64_MAX));
  take(at(RecordKind::map, 16, UINT64_MAX - 1, UINT64_MAX));
  take(at(static_cast<RecordKind>(999), 4, 0, 1));
  EXPECT_THAT(all(EventKind::read), IsEmpty());
  EXPECT_THAT(all(EventKind::map), IsEmpty());
}

TEST_F(Records, times_keep_to_their_limits) {
  const TickClock clock = {.ticks = 1'000'000, .ns = 500, .ticks_per_second = 3'000'000};
  EXPECT_EQ(clock.ns_of(1'000'000), 500);
  EXPECT_EQ(clock.ns_of(4'000'000), 1'000'000'500);
  EXPECT_EQ(clock.ns_of(0), 0);  // before the recording began
  for (const int64_t ticks : {INT64_MIN, INT64_MIN + 1, INT64_MAX, int64_t{1} << 52}) {
    EXPECT_GE(clock.ns_of(ticks), 0);
    EXPECT_LE(clock.ns_of(ticks), kTimeLimitNs);
  }
}

}  // namespace
}  // namespace seekless
