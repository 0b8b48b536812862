#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/internal/dialects.h"
#include "tests/trace/imported.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Parsed parse_as(const std::string& text, const std::string& expected_dialect) {
  MemoryStream stream("t", text);
  Parsed parsed;
  auto report = import_trace(stream, {}, parsed.trace);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  if (report) parsed.report = *report;
  EXPECT_EQ(parsed.report.dialect, expected_dialect);
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  return parsed;
}

// Returns each event as "read /path offset+length @us", with "all" for a whole file.
std::vector<std::string> timed_events_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Event& event : trace.events) {
    std::string line = event.kind == EventKind::open  ? "open "
                       : event.kind == EventKind::map ? "map "
                                                      : "read ";
    line += trace.paths.at(event.path);
    if (event.os_error != 0) line += fmt::format(" !{}", event.os_error);
    if (event.length_bytes == kWholeFile)
      line += " all";
    else if (event.kind != EventKind::open)
      line += fmt::format(" {}+{}", event.offset_bytes, event.length_bytes);
    lines.push_back(line + fmt::format(" @{}", event.start_ns / 1000));
  }
  return lines;
}

constexpr const char* kBlkparse =
    "  8,0    3        1     0.000000000   594  Q   R 43781957 + 16 [game]\n"
    "  8,0    3        2     0.000001000   594  P   N [game]\n"
    "  8,0    3        3     0.000002000   594  U   N [game] 1\n"
    "  8,0    3        4     0.000010000   594  D   R 43781957 + 16 [game]\n"
    "  8,0    3        5     0.000020000   594  D  WS 100 + 8 [game]\n"
    "  8,0    3        6     0.000030000   594  D  RA 200 + 8 [my game]\n"
    "  8,0    1        7     0.000040000     0  C  RA 200 + 8 [0]\n"
    "  8,0    1        8     0.000050000     0  C   R 43781957 + 16 [0]\n"
    "253,1    1        9     0.000060000     0  C   R 7 + 1 [0]\n"
    "  8,0    1       10     0.000070000     0  m   N cfq496A / alloced\n"
    "CPU0 (8,0):\n"
    " Reads Queued:           1,        8KiB\t Writes Queued:           0,        0KiB\n"
    "\nThroughput (R/W): 0KiB/s / 0KiB/s\nEvents (8,0): 10 entries\nSkips: 0 forward (0 -   "
    "0.0%)\n";

TEST(Blkparse, a_read_lasts_from_issue_to_completion_in_bytes_of_the_device) {
  const Parsed parsed = parse_as(kBlkparse, "blkparse");
  EXPECT_THAT(timed_events_of(parsed.trace), ElementsAre("read /dev/block/8:0 22416361984+8192 @10",
                                                         "read /dev/block/8:0 102400+4096 @30",
                                                         "read /dev/block/253:1 3584+512 @60"));
  EXPECT_EQ(parsed.trace.events[0].duration_ns, 40'000);
  EXPECT_EQ(parsed.trace.events[1].duration_ns, 10'000);
  EXPECT_EQ(parsed.trace.events[2].duration_ns, kUnknownDuration);
  EXPECT_EQ(parsed.trace.events[0].process, 594U);
}

TEST(Blkparse, reads_that_were_only_queued_are_warned_of) {
  const Parsed parsed = parse_as("8,0 3 1 0.5 594 Q R 8 + 16 [game]\n", "blkparse");
  EXPECT_THAT(parsed.trace.events, IsEmpty());
  ASSERT_EQ(parsed.report.warnings.size(), 1U);
  EXPECT_THAT(parsed.report.warnings[0], HasSubstr("-a issue"));
}

constexpr const char* kBiosnoop =
    "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)\n"
    "0.010000    Web Content 1  3284    sda       R 100        16384    0.01    8.00\n"
    "0.020000    jbd2/vda1-8    412     sda       W 200        4096     0.01    0.62\n"
    "0.030000    game           1       nvme0n1   RA 8         4096     0.01    1.00\n";

TEST(Biosnoop, reads_begin_a_latency_before_they_are_printed) {
  const Parsed parsed = parse_as(kBiosnoop, "biosnoop");
  EXPECT_THAT(timed_events_of(parsed.trace),
              ElementsAre("read /dev/sda 51200+16384 @2000", "read /dev/nvme0n1 4096+4096 @29000"));
  EXPECT_EQ(parsed.trace.events[0].duration_ns, 8'000'000);
  EXPECT_EQ(parsed.trace.events[0].process, 3284U);
}

TEST(Biosnoop, patterns_may_touch_the_bytes) {
  EXPECT_THAT(
      timed_events_of(
          parse_as("TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P LAT(ms)\n"
                   "0.010000    game           3284    sda       R 100        16384  S    8.00\n"
                   "0.020000    game           3284    sda       R 200        1048576R    9.00\n"
                   "0.030000    game           3284    sda       R 300        4096   ?    1.00\n"
                   "0.040000    game           3284    sda       W 300        1048576S    1.00\n",
                   "biosnoop")
              .trace),
      ElementsAre("read /dev/sda 51200+16384 @2000", "read /dev/sda 102400+1048576 @11000",
                  "read /dev/sda 153600+4096 @29000"));
}

TEST(Biosnoop, milliseconds_may_touch_the_bytes) {
  EXPECT_THAT(
      timed_events_of(
          parse_as("TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)\n"
                   "2.000000    game           3284    sda       R 100        10485761500.00\n"
                   "2.000000    game           3284    sda       R 100        524288 1500.00\n",
                   "biosnoop")
              .trace),
      ElementsAre("read /dev/sda 51200+1048576 @500000", "read /dev/sda 51200+524288 @500000"));
}

TEST(Biosnoop, seconds_may_touch_the_name) {
  const Parsed parsed = parse_as(
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)\n"
      "0.500000    game           3284    sda       R 100        4096      1.00\n"
      "1000.250000game           3284    sda       R 200        4096      1.00\n"
      "1001.5000007zip           3284    sda       R 300        4096      1.00\n"
      "123456.75000042            3284    sda       R 400        10485761500.00\n"
      "123456.750000my game        3284    sda       R 500        4096      1.00\n",
      "biosnoop");
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  EXPECT_THAT(
      timed_events_of(parsed.trace),
      ElementsAre("read /dev/sda 51200+4096 @499000", "read /dev/sda 102400+4096 @1000249000",
                  "read /dev/sda 153600+4096 @1001499000",
                  "read /dev/sda 204800+1048576 @123455250000",
                  "read /dev/sda 256000+4096 @123456749000"));
  EXPECT_EQ(parsed.trace.events.back().process, 3284U);
}

TEST(Biosnoop, times_may_be_those_of_the_day) {
  EXPECT_THAT(
      timed_events_of(
          parse_as("TIMESTAMP    COMM           PID     DISK    T    SECTOR     BYTES   QUE(ms) "
                   "LAT(ms)\n"
                   "23:59:59.990 game           3284    sda     RA   100        16384     0.010 "
                   "  8.000\n"
                   "00:00:00.010 game           3284    sda     R    200        4096     -1.000 "
                   "  1.000\n",
                   "biosnoop")
              .trace),
      ElementsAre("read /dev/sda 51200+16384 @-8000", "read /dev/sda 102400+4096 @19000"));
}

TEST(Biosnoop, bpftrace_form_without_places_is_refused) {
  MemoryStream stream("t",
                      "Attaching 4 probes...\n"
                      "TIME(ms)     DISK    COMM             PID    LAT(ms)\n"
                      "611          sda     game             4179        10\n");
  Trace trace;
  const auto report = import_trace(stream, {}, trace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("SECTOR"), HasSubstr("biosnoop.bt")));
}

TEST(Ext4slower, table_keeps_the_order_of_its_lines) {
  const Parsed parsed = parse_as(
      "Tracing ext4 operations slower than 1 ms\n"
      "TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME\n"
      "23:59:59 my game        3616   R 16384   128        7.75 base data.wz\n"
      "23:59:59 game           3616   O 0       0          1.00 mp.wz\n"
      "00:00:01 game           3616   W 5       0          1.00 save\n"
      "00:00:01 game           3616   R 100     0          1.00 mp.wz\n",
      "ext4slower");
  EXPECT_THAT(timed_events_of(parsed.trace),
              ElementsAre("read base data.wz 131072+16384 @0", "open mp.wz @0",
                          "read mp.wz 0+100 @2000000"));
  EXPECT_EQ(parsed.trace.events[0].duration_ns, 7'750'000);
}

TEST(Ext4slower, attributes_and_commits_of_nfs_are_passed_over) {
  const Parsed parsed = parse_as(
      "Tracing NFS operations that are slower than 1 ms... Ctrl-C to quit\n"
      "TIME     COMM           PID    T BYTES   OFF_KB      LAT(ms) FILENAME\n"
      "11:35:15 game           3616   G 0       0            1.84 base.wz\n"
      "11:35:16 game           3616   R 16384   128          7.75 base.wz\n"
      "11:35:16 game           3616   C 0       0            7.75 save\n",
      "ext4slower");
  EXPECT_THAT(timed_events_of(parsed.trace), ElementsAre("read base.wz 131072+16384 @0"));
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  EXPECT_THAT(timed_events_of(parse_as("ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE\n"
                                       "1000500,b'game',3616,G,0,0,500,b'base.wz'\n"
                                       "1000500,b'game',3616,R,100,7,500,b'base.wz'\n",
                                       "ext4slower")
                                  .trace),
              ElementsAre("read base.wz 7+100 @-500"));
}

TEST(PerfTrace, lines_are_those_of_strace_in_other_words) {
  const Parsed parsed = parse_as(
      "         ? (         ): my game/30583  ... [continued]: execve())        = 0\n"
      "     0.095 ( 0.022 ms): my game/30583 brk()                               = 0x55ce9d097000\n"
      "     0.500 ( 0.100 ms): my game/30583 openat(dfd: CWD, filename: \"/g/a b.pak\", flags: "
      "RDONLY|CLOEXEC) = 4\n"
      "     0.763 ( 0.250 ms): my game/30583 read(fd: 4</g/a b.pak>, buf: 0x7ffc, count: 832) = "
      "832\n"
      "     0.983 ( 0.018 ms): my game/30583 pread64(fd: 4</g/a b.pak>, buf: 0x7ffc, count: 784, "
      "pos: 64) = 784\n"
      "     1.000 ( 0.018 ms): my game/30583 pread64(fd: 4</g/a b.pak>, buf: 0x7ffc, count: 7) = "
      "7\n"
      "     1.100 ( 0.018 ms): my game/30583 lseek(fd: 4</g/a b.pak>, whence: SET)    = 0\n"
      "     1.200 (         ): my game/30583 read(fd: 4</g/a b.pak>, buf: 0x7ffc, count: 5) ...\n"
      "     1.300 ( 0.010 ms): my game/30584 mmap(len: 4096, prot: READ, flags: PRIVATE, fd: "
      "4</g/a "
      "b.pak>, off: 0x1000) = 0x7f3f36179000\n"
      "     1.350 ( 0.010 ms): my game/30584 mmap(len: 4096, prot: READ|WRITE, flags: "
      "PRIVATE|ANONYMOUS) = 0x7f3f36179000\n"
      "     1.200 ( 0.400 ms): my game/30583  ... [continued]: read())           = 5\n"
      "     1.700 ( 0.010 ms): my game/30583 fcntl(fd: 4</g/a b.pak>, cmd: DUPFD, arg: 20</g/a "
      "b.pak>) = 20</g/a b.pak>\n"
      "     1.800 ( 0.010 ms): my game/30583 read(fd: 20, buf: 0x7ffc, count: 1) = 1\n"
      "     1.900 ( 0.010 ms): my game/30583 openat(dfd: CWD, filename: 0x363720b1, flags: RDONLY) "
      "= "
      "5\n"
      "     2.000 ( 0.010 ms): my game/30583 read(fd: 5</g/<x> (1)>, buf: 0x7ffc, count: 2) = 2\n"
      "     2.100 ( 0.010 ms): my game/30583 openat(dfd: CWD, filename: \"/g/none\", flags: "
      "RDONLY) "
      "= -1 ENOENT (No such file or directory)\n"
      "     2.150 ( 0.000 ms): my game/30583 minfault [main+0x5a] => /g/a b.pak@0x0 (d.)\n"
      "LOST 3 events!\n"
      "     2.200 (         ): my game/30583 exit_group()                         = ?\n",
      "perf-trace");
  EXPECT_THAT(timed_events_of(parsed.trace),
              ElementsAre("open /g/a b.pak @500", "read /g/a b.pak 0+832 @763",
                          "read /g/a b.pak 64+784 @983", "read /g/a b.pak 0+7 @1000",
                          "read /g/a b.pak 0+5 @1200", "map /g/a b.pak 4096+4096 @1300",
                          "read /g/a b.pak 5+1 @1800", "read /g/<x> (1) 0+2 @2000",
                          "open /g/none !2 @2100"));
  EXPECT_EQ(parsed.trace.events[1].duration_ns, 250'000);
  EXPECT_EQ(parsed.trace.events[4].duration_ns, 400'000);
  EXPECT_EQ(parsed.trace.events[0].thread, 30583U);
  EXPECT_EQ(parsed.trace.header.began_unix_ns, 0);
  EXPECT_EQ(parsed.trace.header.dialect, "perf-trace");
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  EXPECT_THAT(parsed.report.warnings,
              ElementsAre(HasSubstr("names of the files"), HasSubstr("lost 3 events")));
}

TEST(PerfTrace, reads_whose_files_perf_does_not_tell_are_counted) {
  std::string text;
  for (int i = 0; i < 10; ++i)
    text += "     0.763 ( 0.020 ms): game/3 read(fd: 4, buf: 0x7ffc, count: 832) = 832\n";
  MemoryStream stream("t", text);
  Trace trace;
  const auto report = import_trace(stream, {}, trace);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("10 of 10 reads"), HasSubstr("perf trace")));
}

// Each is refused with the command that turns it into something readable.
TEST(Foreign, recordings_of_others_are_refused_with_a_command) {
  const std::string etl = std::string(74, '\1') + "\x02\xc0" + std::string(200, '\0');
  const std::vector<std::pair<std::string, std::string>> refused = {
      {etl, "xperf -i t.etl -o t.etl.txt -a dumper"},
      {std::string("\xc1\x1f\xfc\xc1\0\0\0\0", 8), "babeltrace2"},
      {std::string("\x57\x1d\xd1\x75\0\0\0\0", 8), "babeltrace2"},
      {"/* CTF 1.8 */\ntypealias integer {", "babeltrace2"},
      {std::string("PERFILE2h\0\0\0", 12), "perf trace -i t.etl"},
      {std::string("\x07taeabcd", 8), "blkparse -i t.etl"},
      {R"({"displayTimeUnit":"ns","traceEvents":[{"ph":"X","ts":1}]})", "jq -r"},
      {"[\n{\"name\":\"a\",\"ph\":\"X\",\"ts\":5}", "jq -r"},
      {"21:01:51.110163  open              F=3        (R_____________)  /g/a b.pak   0.000010   "
       "game.12345\n"
       "21:01:51.110170  pread             F=3    B=0x1000   O=0x00000000  0.000010 W game.12345\n",
       "sed -nE"}};
  for (const auto& [text, command] : refused) {
    MemoryStream stream("t.etl", text);
    Trace trace;
    const auto report = import_trace(stream, {}, trace);
    ASSERT_FALSE(report) << command;
    EXPECT_EQ(report.error().kind, ErrorKind::damaged);
    EXPECT_THAT(report.error().message, HasSubstr(command));
  }
}

TEST(Ext4slower, csv_is_in_bytes_and_microseconds_even_with_a_row_behind_its_header) {
  for (const char* line_end : {"\n", ""}) {
    const Parsed parsed = parse_as(
        fmt::format("ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE{}"
                    "1000500,a,b,3616,R,100,7,500,x,y.pak\n1002000,game,3616,R,5,107,10,x,y.pak\n",
                    line_end),
        "ext4slower");
    EXPECT_THAT(timed_events_of(parsed.trace),
                ElementsAre("read x,y.pak 7+100 @-500", "read x,y.pak 107+5 @1490"));
  }
}

TEST(Fatrace, files_count_as_read_once_opened) {
  const Parsed parsed = parse_as(
      "02:12:11.404376 my (odd) game(3937): O /g/a b.pak\n"
      "02:12:11.404476 my (odd) game(3937): R /g/a b.pak\n"
      "02:12:11.404576 my (odd) game(3937): RC  /g/a b.pak\n"
      "02:12:11.404676 other(1) [1000:1000]: R   /g/c\n"
      "02:12:11.404776 other(1): CWO /g/log\n"
      "02:12:11.404876 other(1): RO  device 8:2 inode 658203\n",
      "fatrace");
  EXPECT_THAT(timed_events_of(parsed.trace),
              ElementsAre("open /g/a b.pak @0", "read /g/a b.pak all @0", "read /g/c all @300"));
}

TEST(Fatrace, unix_times_tell_when_it_began_and_no_times_give_the_order) {
  const Parsed dated =
      parse_as("1447208931.404376 cat(1): R /a\n1447208931.404377 cat(1): R /b\n", "fatrace");
  EXPECT_EQ(dated.trace.header.began_unix_ns, 1447208931404376000);
  EXPECT_EQ(dated.trace.events[1].start_ns, 1000);
  EXPECT_THAT(timed_events_of(parse_as("cat(1): R /a\ncat(1): R /b\n", "fatrace").trace),
              ElementsAre("read /a all @0", "read /b all @1"));
}

TEST(Fatrace, what_options_put_behind_the_path_is_no_part_of_it) {
  EXPECT_THAT(
      timed_events_of(parse_as("cat(1): R   /a exe=/usr/bin/cat\n"
                               "cat(1): R   /b exe=/bin/cat, parents=(pid=2 comm=sh exe=/bin/sh)\n"
                               "cat(1): R   /c, parents=(pid=2 comm=sh)\n"
                               "cat(1): RC  (deleted)\n",
                               "fatrace")
                          .trace),
      ElementsAre("read /a all @0", "read /b all @1", "read /c all @2"));
}

TEST(Fatrace, json_gives_the_same_as_text) {
  const Parsed parsed = parse_as(
      R"({"timestamp":1447208931.404376,"comm":"g","pid":7,"uid":0,"gid":0,"types":"O","device":)"
      R"({"major":8,"minor":2},"inode":5,"path":"/a","exe":"/g","parents":[{"pid":1}]})"
      "\n"
      R"({"timestamp":1447208931.404476,"comm":"g","pid":7,"types":"RC","path":"/a"})"
      "\n"
      R"({"timestamp":1447208931.404576,"pid":8,"types":"R","path_raw":[47,98,10,255]})"
      "\n"
      R"({"timestamp":1447208931.404676,"pid":8,"types":"CWO","path":"/log"})"
      "\n"
      R"({"timestamp":1447208931.404776,"pid":8,"types":"R","inode":5})"
      "\n",
      "fatrace");
  EXPECT_THAT(timed_events_of(parsed.trace),
              ElementsAre("open /a @0", "read /a all @0", "read /b\n\xff all @200"));
  EXPECT_EQ(parsed.trace.header.began_unix_ns, 1447208931404376000);
  EXPECT_THAT(
      timed_events_of(parse_as(R"({"timestamp":"02:12:11.000000","pid":7,"types":"R","path":"/a"})"
                               "\n"
                               R"({"timestamp":"02:12:11.000500","pid":7,"types":"R","path":"/b"})"
                               "\n",
                               "fatrace")
                          .trace),
      ElementsAre("read /a all @0", "read /b all @500"));
}

TEST(Fatrace, json_that_is_no_event_is_counted) {
  const std::string good = R"({"pid":7,"types":"R","path":"/a"})";
  for (const char* bad :
       {"{", "{}", R"({"pid":-7,"types":"R","path":"/a"})", R"({"pid":7,"types":"X","path":"/a"})",
        R"({"pid":7,"types":"R","path":5})", R"({"pid":7,"types":"R","path_raw":[256]})",
        R"({"timestamp":1e300,"pid":7,"types":"R","path":"/a"})",
        R"({"timestamp":"noon","pid":7,"types":"R","path":"/a"})"}) {
    MemoryStream stream("t", good + "\n" + bad + "\n");
    Trace trace;
    const auto report = import_trace(stream, {.format = "fatrace", .lenient = true}, trace);
    ASSERT_TRUE(report) << bad;
    EXPECT_EQ(report->unparsed_lines, 1U) << bad;
    EXPECT_EQ(trace.events.size(), 1U) << bad;
  }
}

TEST(Opensnoop, a_name_may_hold_what_looks_like_columns) {
  EXPECT_THAT(
      timed_events_of(parse_as("PID    COMM               FD ERR PATH\n"
                               "1576   game 3 0 x         11   2 /g/a 5 0 b\n"
                               "1576   3 0               -1   2 /g/c\n"
                               "1576   a 1 2 3 4 5 6 7   11   0 /g/d\n",
                               "opensnoop")
                          .trace),
      ElementsAre("open /g/a 5 0 b !2 @0", "open /g/c !2 @1", "open /g/d @2", "read /g/d all @3"));
}

TEST(Opensnoop, seconds_may_touch_the_process) {
  const Parsed parsed = parse_as(
      "TIME(s)       PID     COMM               FD ERR PATH\n"
      "999.500000000 123     game                3   0 /g/a\n"
      "1001.659123000123     game                3   0 /g/b\n"
      "20001.500000000123     my game             3   0 /g/c d\n",
      "opensnoop");
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  ASSERT_EQ(parsed.trace.paths.size(), 3U);
  EXPECT_EQ(parsed.trace.paths.back(), "/g/c d");
  for (const Event& event : parsed.trace.events) EXPECT_EQ(event.process, 123U);
}

TEST(Opensnoop, columns_are_found_by_name) {
  EXPECT_THAT(timed_events_of(parse_as("PID    COMM               FD ERR PATH\n"
                                       "1576   Web 3 Content       11   0 /g/a b.pak\n"
                                       "1576   game               -1   2 /g/none\n",
                                       "opensnoop")
                                  .trace),
              ElementsAre("open /g/a b.pak @0", "read /g/a b.pak all @1", "open /g/none !2 @2"));
  EXPECT_THAT(
      timed_events_of(
          parse_as("Tracing open syscalls... Hit Ctrl-C to end.\n"
                   "TIME(s)       UID   TID    COMM               FD ERR FLAGS    PATH\n"
                   "0.000000000   1000  1576   game               11   0 02000000 /g/a.pak\n"
                   "0.000500000   1000  1576   game               11   0 00000101 /g/log\n"
                   "0.000600000   1000  1576   game               11   0 02200000 /g\n",
                   "opensnoop")
              .trace),
      ElementsAre("open /g/a.pak @0", "read /g/a.pak all @0"));
}

TEST(Unreal, numbers_are_the_order_and_paths_lie_below_the_top) {
  const Parsed parsed = parse_as(
      "\"../../../Engine/Config/Base.ini\" 20\n\"..\\..\\..\\Engine\\a b.res\" 3\n"
      "\"C:/Users/x.ini\" 21",
      "unreal");
  EXPECT_THAT(timed_events_of(parsed.trace),
              ElementsAre("read Engine/Config/Base.ini all @20", "read Engine/a b.res all @3",
                          "read C:/Users/x.ini all @21"));
}

TEST(Unreal, reads_a_real_log) {
  const char* folder = std::getenv("SEEKLESS_SAMPLES");
  const std::string path = std::string(folder != nullptr ? folder : SEEKLESS_DEFAULT_SAMPLES) +
                           "/unreal-GameOpenOrder.log";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " isn't there";
  Trace trace;
  const auto report = read_trace(path, {}, trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->dialect, "unreal");
  EXPECT_EQ(report->reads, 614U);
  EXPECT_EQ(report->unparsed_lines, 0U);
}

TEST(Jarlog, archives_are_named_by_path_or_url) {
  EXPECT_THAT(timed_events_of(parse_as("/usr/lib/fire fox/omni.ja chrome/a b.css\n"
                                       "jar:file:///usr/lib/fire%20fox/omni.ja!/ chrome.manifest\n"
                                       "jar:jar:file:///C:/x/apk.apk!/assets/omni.ja!/ c\n",
                                       "jarlog")
                                  .trace),
              ElementsAre("read /usr/lib/fire fox/omni.ja/chrome/a b.css all @0",
                          "read /usr/lib/fire fox/omni.ja/chrome.manifest all @1",
                          "read C:/x/apk.apk/assets/omni.ja/c all @2"));
}

TEST(List, is_a_path_a_line) {
  EXPECT_THAT(
      timed_events_of(
          parse_as("maps/a.wrf\r\n/g/b with spaces.pak\n\nC:\\g\\\xff.dds\nlast.txt", "list")
              .trace),
      ElementsAre("read maps/a.wrf all @0", "read /g/b with spaces.pak all @1",
                  "read C:\\g\\\xff.dds all @2", "read last.txt all @3"));
}

TEST(List, refuses_what_looks_like_anything_else) {
  for (const char* text :
       {"<html><body>/a/b</body></html>\n", "{\"path\": \"/a\"}\n", "[\"/a\", \"/b\"]\n",
        "time,path,size,x\n1,/a,2,3\n1,/b,2,3\n", "\"1\",\"/a/b\"\n",
        "Nov 21 12:00:01 host game[12]: opened /g/a.pak\n", "#!/bin/sh\ncat /a/b\n",
        "All of the files are in the folder src/ and below it.\n",
        "\x7f"
        "ELF\x02/lib.so\n",
        "path = /a/b\n", "https://example.org/a\n", "int main() {\n  return 0;\n}\n"}) {
    EXPECT_FALSE(kListDialect.recognise(text)) << text;
  }
  EXPECT_FALSE(kListDialect.recognise(std::string_view("/a\0/b\n", 6)));
  EXPECT_FALSE(kListDialect.recognise(""));
}

TEST(List, takes_any_line_where_it_was_asked_for) {
  MemoryStream stream("t", std::string("README\nb\0c\n", 11));
  Trace trace;
  const auto report = import_trace(stream, {.format = "list", .lenient = true}, trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(trace.paths, ElementsAre("README"));
  EXPECT_EQ(report->unparsed_lines, 1U);
}

// A sound text of every dialect.
const std::vector<std::string>& sound_texts() {
  static const std::vector<std::string> texts = {
      kBlkparse,
      kBiosnoop,
      "TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME\n"
      "23:59:59 game           3616   R 16384   128        7.75 base.wz\n",
      "ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE\n1000500,a,3616,R,100,7,500,x\n",
      "02:12:11.404376 cat(3937): O /g/a.pak\n02:12:11.404376 cat(3937): RC /g/b.pak\n",
      "TIME(s)  PID    COMM  FD ERR FLAGS PATH\n0.5 1576 game 11 0 02000000 /g/a.pak\n",
      "\"../../../Engine/Config/Base.ini\" 20\n",
      "jar:file:///usr/omni.ja!/ chrome.manifest\n/usr/b.jar c/d\n",
      "/g/ OPEN a.pak\n/g/ CLOSE_NOWRITE,CLOSE a.pak\n",
      "42 1795226612.464656 read(3</g/a.pak>, \"x\", 512) = 512\n",
      "0.945 ( 0.020 ms): game/42 read(fd: 4</g/a.pak>, buf: 0x7ffc, count: 832) = 832\n",
      "\"Time of Day\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\"\n"
      "\"1:00:00\",\"7\",\"ReadFile\",\"C:\\a\",\"SUCCESS\",\"Offset: 1, Length: 2\"\n",
      "{\"seekless\":\"trace\",\"version\":1}\n{\"path\":\"/a\"}\n{\"file\":0,\"read\":5}\n",
      "/g/a.pak\n/g/b.pak\n"};
  return texts;
}

std::string as_utf16(const std::string& text, bool is_big) {
  std::string wide;
  for (const char c : text) {
    if (is_big) wide += '\0';
    wide += c;
    if (!is_big) wide += '\0';
  }
  return wide;
}

TEST(TextDialects, text_of_windows_programs_is_read_as_any_other) {
  for (const std::string& text : sound_texts()) {
    MemoryStream stream("t", text);
    Trace plain;
    const auto expected = import_trace(stream, {}, plain);
    ASSERT_TRUE(expected) << text;
    for (const std::string& other :
         {"\xef\xbb\xbf" + text, "\xff\xfe" + as_utf16(text, false),
          "\xfe\xff" + as_utf16(text, true), as_utf16(text, false), as_utf16(text, true)}) {
      MemoryStream encoded("t", other);
      Trace trace;
      const auto report = import_trace(encoded, {}, trace);
      ASSERT_TRUE(report) << report.error().message << "\n" << text;
      EXPECT_EQ(report->dialect, expected->dialect) << text;
      EXPECT_EQ(trace.paths, plain.paths) << text;
      EXPECT_EQ(trace.events, plain.events) << text;
      EXPECT_EQ(report->unparsed_lines, 0U) << text;
    }
  }
}

TEST(TextDialects, files_put_one_behind_the_other_keep_no_marks) {
  EXPECT_THAT(parse_as("\xef\xbb\xbf/g/a.pak\r\n\xef\xbb\xbf/g/b.pak\r\n", "list").trace.paths,
              ElementsAre("/g/a.pak", "/g/b.pak"));
}

struct OddNumbers {
  const char* name;
  std::string text;  // a line with a sound number, then one whose number only begins like one
};

TEST(TextDialects, a_number_that_does_not_end_with_its_field_is_no_number) {
  const std::string slower = "TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME\n";
  const std::string opens = "TIME(s)  PID    COMM  FD ERR PATH\n";
  const std::string disk = "TIME(s)     COMM  PID  DISK T SECTOR BYTES LAT(ms)\n";
  const std::vector<OddNumbers> all = {
      {"blkparse", "8,0 3 1 0.5 594 D R 0x8 + 16 [g]\n8,0 3 1 0.6 594 D R 8x + 16 [g]\n"},
      {"biosnoop", disk + "0.5 game 0x7 sda R 1,000 4096 0.1\n0.5 game 7 sda R 8 4.096.1 0.1\n"},
      {"ext4slower",
       slower + "23:59:59 game 0x7 R 16,384 0x80 7.75 a\n23:59:59 game 7 R 1.5 8 7.75 a\n"},
      {"opensnoop", opens + "0.5 0xB54 game 3 0 /g/a\n0.5 4294967297 game 3 0 /g/b\n"},
      {"opensnoop", opens + "0.5 7 game 3 0 /g/a\n0.5 7 game 3.5 0 /g/b\n"},
      {"fatrace", "02:12:11.4 cat(0x39): O /g/a\n02:12:11,4 cat(39): O /g/b\n"},
      {"unreal", "\"../../../a\" 0x14\n\"../../../b\" 20x\n"},
      {"strace",
       "1 1.0 pread64(3</a>, \"\", 5, 0x10) = 5\n1 1.1 pread64(3</a>, \"\", 16384, 0) = 16,384\n"},
      {"strace", "1 1.0 sendfile(4, 3</a>, [0], 5) = 5\n1 1.1 sendfile(4, 3</a>, [1,0], 5) = 5\n"},
  };
  for (const OddNumbers& one : all) {
    MemoryStream stream("t", one.text);
    Trace trace;
    const auto report = import_trace(stream, {.format = one.name, .lenient = true}, trace);
    ASSERT_TRUE(report) << one.text;
    EXPECT_EQ(report->unparsed_lines, 1U) << one.text;
    EXPECT_EQ(trace.paths.size(), 1U) << one.text;
  }
}

TEST(Inotifywait, tells_opens_and_reads_of_files) {
  EXPECT_THAT(timed_events_of(
                  parse_as("Setting up watches.\nWatches established.\n/g/ OPEN,ISDIR \n"
                           "/g/ OPEN a b.pak\n/g/ ACCESS a b.pak\n/g/ CLOSE_NOWRITE,CLOSE a b.pak\n"
                           "/g/c.pak ACCESS \n/g/ MODIFY d\n/g/,\"OPEN\",e\n",
                           "inotifywait")
                      .trace),
              ElementsAre("open /g/a b.pak @0", "read /g/a b.pak all @1", "read /g/c.pak all @2",
                          "open /g/e @3", "read /g/e all @4"));
}

TEST(Inotifywait, times_may_stand_in_front_and_events_behind) {
  EXPECT_THAT(
      timed_events_of(
          parse_as("12:00:00 /g/a.pak OPEN\n12:00:02 /g/OPEN b.pak OPEN\n", "inotifywait").trace),
      ElementsAre("open /g/a.pak @0", "read /g/a.pak all @0", "open /g/OPEN b.pak @2000000",
                  "read /g/OPEN b.pak all @2000000"));
}

TEST(TextDialects, every_truncation_is_read_or_refused) {
  for (const std::string& text : sound_texts()) {
    MemoryStream whole("t", text);
    Trace all;
    const std::string dialect = import_trace(whole, {}, all)->dialect;
    for (size_t length = 0; length < text.size(); ++length) {
      MemoryStream stream("t", text.substr(0, length));
      Trace trace;
      const auto report = import_trace(stream, {.format = dialect, .lenient = true}, trace);
      if (report) {
        EXPECT_LE(trace.events.size(), all.events.size() + 1) << text.substr(0, length);
      }
    }
  }
}

TEST(TextDialects, random_damage_never_crashes) {
  std::mt19937 random(7);
  for (const std::string& text : sound_texts()) {
    MemoryStream whole("t", text);
    Trace all;
    const std::string dialect = import_trace(whole, {}, all)->dialect;
    for (int round = 0; round < 2000; ++round) {
      std::string damaged = text;
      for (int i = 0; i < 3; ++i)
        damaged[random() % damaged.size()] = "\n ,:()\"/09-R\0\xff"[random() % 14];
      MemoryStream stream("t", damaged);
      Trace trace;
      (void)import_trace(stream, {.format = dialect, .lenient = true}, trace);
      for (const Event& event : trace.events) {
        ASSERT_LT(event.path, trace.paths.size());
        ASSERT_LE(event.offset_bytes, kPlaceLimitBytes);
      }
    }
  }
}

TEST(TextDialects, numbers_out_of_range_are_not_believed) {
  for (const char* text : {"8,0 3 1 0.5 594 D R 18446744073709551615 + 16 [game]\n",
                           "8,0 3 1 0.5 594 D R 8 + 18446744073709551615 [game]\n",
                           "8,0 3 1 99999999999999.5 594 D R 8 + 8 [game]\n",
                           "8,0 3 1 0.5 5940000000000 D R 8 + 8 [game]\n"}) {
    MemoryStream stream("t", text);
    Trace trace;
    const auto report = import_trace(stream, {.format = "blkparse", .lenient = true}, trace);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->unparsed_lines, 1U) << text;
    EXPECT_THAT(trace.events, IsEmpty());
  }
}

TEST(TextDialects, a_cut_last_line_is_dropped_with_a_warning) {
  const Parsed parsed = parse_as("cat(1): R /a\ncat(1): R /b", "fatrace");
  EXPECT_EQ(parsed.trace.events.size(), 1U);
  ASSERT_EQ(parsed.report.warnings.size(), 1U);
  EXPECT_THAT(parsed.report.warnings[0], HasSubstr("cut short"));
}

}  // namespace
}  // namespace seekless
