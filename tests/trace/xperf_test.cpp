#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/internal/xperf_line.h"
#include "tests/trace/imported.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The columns of one version of xperf, in its order: those that matter, and some others.
const std::string kXperfHeader =
    "BeginHeader\r\n"
    "               DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID, CPU,   IrpPtr, "
    "ByteOffset, IOSize, ElapsedTime,  DiskNum, IrpFlags, FileObject, FileName\r\n"
    "             FileIoRead,  TimeStamp,     Process Name ( PID),   ThreadID, LoggingThreadID, "
    "IrpPtr, FileObject, ByteOffset, Size, Flags, ExtraFlags, Priority, FileName, ParsedFlags\r\n"
    "            FileIoOpEnd,  TimeStamp,     Process Name ( PID),   ThreadID, IrpPtr, FileObject, "
    "ElapsedTime, Status, ExtraInfo, Type, FileName\r\n"
    "           FileIoCreate,  TimeStamp,     Process Name ( PID),   ThreadID, IrpPtr, FileObject, "
    "Options, FileName\r\n"
    "               FileName,  TimeStamp, FileObject, FileName\r\n"
    "                  Stack,  TimeStamp,   ThreadID, No.,            Address, Image!Function\r\n"
    "EndHeader\r\n"
    "OS Version: 10.0.17134, Trace Start: 0x1d4, FirstReliableCSwitchEventTimeStamp: 12\r\n";

std::string file_read(int time_us, const std::string& irp, const std::string& object,
                      const std::string& offset, const std::string& size, const std::string& name,
                      const std::string& flags = "0x00060900") {
  return fmt::format(
      "             FileIoRead, {:10}, chrome.exe (12192),      12352,  12352, {}, {}, {}, {}, {}, "
      "0x00000000,   Normal, {}\r\n",
      time_us, irp, object, offset, size, flags, name);
}

std::string op_end(int time_us, const std::string& irp, int elapsed_us, const std::string& status,
                   const std::string& extra) {
  return fmt::format(
      "FileIoOpEnd, {}, chrome.exe (12192), 0, {}, 0xb0, {}, {}, {}, FileIoRead,\r\n", time_us, irp,
      elapsed_us, status, extra);
}

std::string disk_read(int time_us, const std::string& name, int elapsed_us = 283) {
  return fmt::format(
      "               DiskRead, {}, xperf.exe (3984), 11844, 1, 0xffffe288b23f1b20, 0x018f0b8000, "
      "0x00001000, {}, 0, 0x060043, 0xffffe288272d0d20, {}\r\n",
      time_us, elapsed_us, name);
}

std::vector<std::string> lines_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Event& event : trace.events)
    lines.push_back(fmt::format(
        "{} {} {} {}+{}{}", event.start_ns / 1000, event.kind == EventKind::open ? "open" : "read",
        trace.paths.at(event.path), event.offset_bytes,
        event.length_bytes == kWholeFile ? "whole" : std::to_string(event.length_bytes),
        event.duration_ns < 0 ? "" : fmt::format(" {}", event.duration_ns / 1000)));
  return lines;
}

std::vector<std::string> import_lines(const std::string& text) {
  Trace trace;
  const auto report = import_leniently(text, trace);
  EXPECT_TRUE(report) << report.error().message;
  if (report) {
    EXPECT_EQ(report->unparsed_lines, 0U);
  }
  return lines_of(trace);
}

TEST(Xperf, a_read_has_its_offset_length_time_and_caller) {
  Trace trace;
  const auto report = import_text(kXperfHeader + file_read(14195127, "0xa1", "0xb1", "0x0000100000",
                                                           "0x00004000", "\"C:\\g\\a\""),
                                  trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->dialect, "xperf");
  ASSERT_THAT(trace.events, SizeIs(1));
  EXPECT_THAT(trace.paths, ElementsAre("C:\\g\\a"));
  EXPECT_EQ(trace.events[0], (Event{.start_ns = 14'195'127'000,
                                    .offset_bytes = 0x100000,
                                    .length_bytes = 0x4000,
                                    .process = 12192,
                                    .thread = 12352}));
}

TEST(Xperf, the_end_of_a_read_tells_what_came_and_how_long_it_took) {
  EXPECT_THAT(
      import_lines(kXperfHeader + file_read(10, "0xa1", "0xb1", "0x0", "0x4000", "\"C:\\a\"") +
                   file_read(20, "0xa2", "0xb1", "0x4000", "0x4000", "\"C:\\a\"") +
                   op_end(30, "0xa2", 9, "0x00000000", "0x0000000000000123") +
                   op_end(40, "0xa1", 29, "0x00000000", "0x0000000000004000")),
      ElementsAre("10 read C:\\a 0+16384 29", "20 read C:\\a 16384+291 9"));
}

TEST(Xperf, a_read_refused_as_fast_io_counts_once) {
  Trace trace;
  const std::string read = file_read(10, "0xa1", "0xb1", "0x0", "0x4000", "\"C:\\a\"");
  const auto report =
      import_leniently(kXperfHeader + read + op_end(11, "0xa1", 1, "0xc01c0004", "0x0") + read +
                           op_end(19, "0xa1", 8, "0x00000000", "0x4000"),
                       trace);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->read_rows, 1U);
  EXPECT_THAT(lines_of(trace), ElementsAre("10 read C:\\a 0+16384 8"));
}

TEST(Xperf, a_read_without_an_end_is_a_read_all_the_same) {
  const std::string read = file_read(10, "0xa1", "0xb1", "0x0", "0x4000", "\"C:\\a\"");
  EXPECT_THAT(import_lines(kXperfHeader + read + read), SizeIs(2));
}

TEST(Xperf, columns_are_found_by_their_names) {
  EXPECT_THAT(import_lines("BeginHeader\n"
                           " FileIoRead, FileName, Size, ByteOffset, Process Name ( PID), "
                           "SomethingNew, TimeStamp\n"
                           "EndHeader\n"
                           " FileIoRead, \"C:\\a\", 0x10, 0x20, g (1).exe (  7), x, 5\n"),
              ElementsAre("5 read C:\\a 32+16"));
}

TEST(Xperf, a_header_without_a_needed_column_is_refused_by_its_name) {
  Trace trace;
  const auto report = import_leniently(
      "BeginHeader\nFileIoRead, TimeStamp, Process Name ( PID), Size\nEndHeader\n", trace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("'ByteOffset'"));
}

TEST(Xperf, names_may_hold_commas_and_be_blank) {
  EXPECT_THAT(
      import_lines(kXperfHeader + "FileName, 0, 0xb7, \"C:\\from, rundown\"\r\n" +
                   "FileIoCreate, 5, g.exe (7), 8, 0x0, 0xb8, 0x0, \"C:\\made, by create\"\r\n" +
                   file_read(10, "0x0", "0xb7", "0x0", "0x1", "") +
                   file_read(20, "0x0", "0xb8", "0x0", "0x2", "\"\"") +
                   file_read(30, "0x0", "0xb9", "0x0", "0x3", "")),
      ElementsAre("5 open C:\\made, by create 0+0", "10 read C:\\from, rundown 0+1",
                  "20 read C:\\made, by create 0+2", "30 read <file object 0xb9> 0+3"));
}

TEST(Xperf, nameless_reads_are_counted) {
  Trace trace;
  const auto report =
      import_leniently(kXperfHeader + file_read(30, "0x0", "0xb9", "0x0", "0x3", ""), trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("names the log doesn't tell: 1")));
}

TEST(Xperf, the_disks_view_is_left_out_where_there_is_the_files) {
  const std::string read = file_read(10, "0x0", "0xb1", "0x0", "0x4000", "\"C:\\a\"");
  const auto only_file = ElementsAre("10 read C:\\a 0+16384");
  EXPECT_THAT(import_lines(kXperfHeader + disk_read(8, "\"C:\\a\"") + read), only_file);
  EXPECT_THAT(import_lines(kXperfHeader + read + disk_read(8, "\"C:\\a\"")), only_file);
}

TEST(Xperf, of_the_disks_view_alone_each_file_is_read_whole_at_its_first_start) {
  Trace trace;
  const auto report = import_leniently(kXperfHeader + disk_read(8612, "\"C:\\$Mft\"", 600) +
                                           disk_read(8700, "\"C:\\a\"", 690) +
                                           disk_read(9000, "\"C:\\$Mft\"") + disk_read(9001, ""),
                                       trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(lines_of(trace),
              ElementsAre("8010 read C:\\a 0+whole 690", "8012 read C:\\$Mft 0+whole 600"));
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("disk's view only")));
}

TEST(Xperf, paging_reads_count_only_where_no_cached_read_explains_them) {
  Trace trace;
  const auto report = import_leniently(
      kXperfHeader + file_read(10, "0x0", "0xb1", "0x0", "0x4000", "\"C:\\a\"") +
          file_read(11, "0x0", "0xb1", "0x0", "0x8000", "\"C:\\a\"", "0x00060043") +
          file_read(12, "0x0", "0xb1", "0x8000", "0x1000", "\"C:\\a\"", "0x00060043"),
      trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(lines_of(trace), ElementsAre("10 read C:\\a 0+16384", "12 read C:\\a 32768+4096"));
  EXPECT_EQ(report->paging_rows, 2U);
  EXPECT_EQ(report->explained_paging_rows, 1U);
}

TEST(Xperf, other_events_are_passed_over_and_damaged_lines_counted) {
  Trace trace;
  const auto report = import_leniently(
      kXperfHeader + "Stack, 12, 3, 1, 0xfffff, ntoskrnl.exe!Nt \"quoted\r\n" +
          "no event at all\r\n" +
          "FileIoRead, x, g.exe (7), 1, 1, 0x0, 0x1, 0x0, 0x1, 0x0, 0x0, Normal, \"C:\\a\"\r\n" +
          "FileIoRead, 1, g.exe (7), 1, 1, 0x0, 0x1, 0x0, 0x1, 0x0, 0x0, Normal, \"C:\\a\r\n" +
          "FileIoRead, 1, g.exe 7, 1, 1, 0x0, 0x1, 0x0, 0x1, 0x0, 0x0, Normal, \"C:\\a\"\r\n" +
          "FileIoRead, 1, g.exe (7), 1, 1, 0x0, 0x1, 0xg, 0x1, 0x0, 0x0, Normal, \"C:\\a\"\r\n",
      trace);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unparsed_lines, 5U);
  EXPECT_THAT(trace.events, IsEmpty());
}

TEST(Xperf, numbers_beyond_all_limits_are_no_events) {
  Trace trace;
  ASSERT_TRUE(import_leniently(
      kXperfHeader + file_read(1, "0x0", "0x1", "0xffffffffffffffff", "0xffffffff", "\"C:\\a\"") +
          file_read(2, "0x0", "0x1", "0x1ffffffffffffffff", "0x1", "\"C:\\a\"") +
          "FileIoRead, 99999999999999999999, g (7), 1, 1, 0, 0, 0, 1, 0, 0, x, \"C:\\a\"\r\n",
      trace));
  EXPECT_THAT(trace.events, IsEmpty());
}

const std::string& whole_log() {
  static const std::string log =
      kXperfHeader + "FileIoCreate, 5, g.exe (7), 8, 0xa0, 0xb8, 0x0, \"C:\\g, 1\"\r\n" +
      disk_read(8, "\"C:\\g, 1\"") + file_read(10, "0xa1", "0xb8", "0x0", "0x4000", "") +
      file_read(20, "0xa2", "0xb8", "0x4000", "0x4000", "\"C:\\g, 1\"") +
      op_end(30, "0xa2", 9, "0x00000000", "0x123");
  return log;
}

TEST(Xperf, a_log_cut_anywhere_gives_no_more_than_the_whole) {
  const size_t header_bytes = kXperfHeader.find("EndHeader") + 10;
  for (size_t size = 0; size < whole_log().size(); ++size) {
    Trace trace;
    const auto report = import_leniently(whole_log().substr(0, size), trace);
    EXPECT_EQ(report.has_value(), size >= header_bytes - 1) << size;
    EXPECT_LE(trace.events.size(), 3U) << size;
  }
}

TEST(Xperf, any_byte_may_be_wrong) {
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string log = whole_log();
    for (int change = 0; change < 3; ++change)
      log[random() % log.size()] = static_cast<char>(random() % 256);
    Trace trace;
    MemoryStream stream("log", log);
    (void)import_trace(stream, {.format = "xperf", .lenient = true}, trace);
    for (const Event& event : trace.events) {
      ASSERT_LT(event.path, trace.paths.size());
      ASSERT_TRUE(event.length_bytes == kWholeFile ||
                  event.offset_bytes + event.length_bytes <= kPlaceLimitBytes);
    }
  }
}

TEST(Xperf, text_in_utf16_is_read) {
  std::string wide = "\xff\xfe";
  for (const char c : whole_log()) wide += {c, '\0'};
  EXPECT_EQ(import_lines(wide), import_lines(whole_log()));
}

TEST(XperfLine, processes_end_with_their_number) {
  EXPECT_EQ(xperf_process("Idle (   0)"), 0U);
  EXPECT_EQ(xperf_process("chrome.exe(9336)"), 9336U);
  EXPECT_EQ(xperf_process("a (b).exe (12)"), 12U);
  EXPECT_EQ(xperf_process("Unknown (-1)"), 0U);
  EXPECT_FALSE(xperf_process(""));
  EXPECT_FALSE(xperf_process("chrome.exe"));
  EXPECT_FALSE(xperf_process("chrome.exe (99999999999)"));
}

}  // namespace
}  // namespace seekless
