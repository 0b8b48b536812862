#include "packer/trace/internal/strace.h"

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/event_window.h"
#include "tests/trace/imported.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

Parsed parse_strace(const std::string& text, ImportOptions options = {}) {
  options.format = "strace";
  MemoryStream stream("t.strace", text);
  Parsed parsed;
  auto report = import_trace(stream, options, parsed.trace);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  if (report) parsed.report = *report;
  return parsed;
}

// Returns each event as "read /path offset+length".
std::vector<std::string> events_of(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Event& event : trace.events) {
    const std::string& path = trace.paths.at(event.path);
    if (event.kind == EventKind::open)
      lines.push_back(fmt::format("open {}{}", path,
                                  event.os_error == 0 ? "" : fmt::format(" !{}", event.os_error)));
    else
      lines.push_back(fmt::format("{} {} {}+{}", event.kind == EventKind::read ? "read" : "map",
                                  path, event.offset_bytes, event.length_bytes));
  }
  return lines;
}

std::vector<std::string> events_of(const std::string& text) {
  const Parsed parsed = parse_strace(text);
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  return events_of(parsed.trace);
}

TEST(Strace, positions_follow_reads_and_seeks_but_not_preads) {
  EXPECT_THAT(
      events_of("openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
                "read(3, \"xx\"..., 100) = 100\n"
                "read(3, \"xx\"..., 100) = 50\n"
                "pread64(3, \"xx\"..., 10, 1000) = 10\n"
                "read(3, \"x\", 1) = 1\n"
                "lseek(3, -1, SEEK_END) = 4095\n"
                "read(3, \"x\", 10) = 1\n"
                "_llseek(3, 64, [64], SEEK_SET) = 0\n"
                "readv(3, [{iov_base=\"a, b) = 3\", iov_len=5}, {iov_base=\"\", iov_len=7}], "
                "2) = 12\n"
                "preadv(3, [{iov_base=\"x\", iov_len=5}], 1, 200) = 5\n"
                "preadv2(3, [{iov_base=\"x\", iov_len=5}], 1, -1, RWF_HIPRI) = 5\n"
                "preadv2(3, [{iov_base=\"x\", iov_len=5}], 1, 0x10, 0) = 5\n"
                "read(3, \"\", 10) = 0\n"
                "read(3, 0x7ffc, 10) = -1 EIO (Input/output error)\n"
                "read(3, \"x\", 1) = 1\n"),
      ElementsAre("open /a", "read /a 0+100", "read /a 100+50", "read /a 1000+10", "read /a 150+1",
                  "read /a 4095+1", "read /a 64+12", "read /a 200+5", "read /a 76+5",
                  "read /a 16+5", "read /a 81+1"));
}

TEST(Strace, duplicates_share_a_position_and_a_fresh_open_starts_at_0) {
  EXPECT_THAT(events_of("open(\"/a\", O_RDONLY|O_CLOEXEC) = 3\n"
                        "dup(3) = 4\n"
                        "read(3, \"x\"..., 10) = 10\n"
                        "read(4, \"x\"..., 10) = 10\n"
                        "dup2(4, 7) = 7\n"
                        "fcntl(7, F_DUPFD_CLOEXEC, 10) = 10\n"
                        "fcntl(7, F_GETFL) = 0x8000 (flags O_RDONLY|O_LARGEFILE)\n"
                        "close(3) = 0\n"
                        "read(10, \"x\"..., 10) = 10\n"
                        "openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
                        "read(3, \"x\"..., 10) = 10\n"
                        "close_range(3, 1000, 0) = 0\n"
                        "read(3, \"x\"..., 10) = 10\n"
                        "read(10, \"x\"..., 10) = 10\n"),
              ElementsAre("open /a", "read /a 0+10", "read /a 10+10", "read /a 20+10", "open /a",
                          "read /a 0+10"));
}

TEST(Strace, annotations_name_files_that_were_opened_before) {
  const Parsed parsed = parse_strace(
      "7 1795226612.469080 lseek(3</g/a.pak>, 65536, SEEK_SET) = 65536 <0.000050>\n"
      "7 1795226612.469741 mmap(NULL, 8192, PROT_READ, MAP_SHARED, 3</g/a.pak>, 0x1000) = "
      "0x7f74b4140000 <0.000056>\n"
      "7 1795226612.470000 read(3</g/a.pak>, \"x\"..., 4096) = 4096 <0.000100>\n"
      "7 1795226612.471201 read(5</g/b.tmp>(deleted), \"x\", 10) = 1 <0.000051>\n"
      "7 1795226612.471300 read(6</g/c.tmp (deleted)>, \"x\", 10) = 1 <0.000051>\n"
      "7 1795226612.471400 read(3</other>, \"x\", 10) = 1 <0.000051>\n");
  EXPECT_THAT(events_of(parsed.trace),
              ElementsAre("map /g/a.pak 4096+8192", "read /g/a.pak 65536+4096", "read /g/b.tmp 0+1",
                          "read /g/c.tmp 0+1", "read /other 0+1"));
  EXPECT_EQ(parsed.trace.header.began_unix_ns, 1795226612469080000);
  EXPECT_EQ(parsed.trace.events[1].start_ns, 920'000);
  EXPECT_EQ(parsed.trace.events[1].duration_ns, 100'000);
  EXPECT_EQ(parsed.trace.events[1].thread, 7U);
}

TEST(Strace, unfinished_calls_are_joined_and_ordered_by_their_start) {
  const Parsed parsed = parse_strace(
      "22188 1795226610.000000 pread64(3</g/a.pak>,  <unfinished ...>\n"
      "22147 1795226610.000010 read(4</g/b>, \"x\"..., 8) = 8 <0.000005>\n"
      "22147 1795226610.000020 openat(AT_FDCWD</g>, \"c\" <unfinished ...>\n"
      "22188 1795226610.000081 <... pread64 resumed>\"\\373P\\303\"..., 16384, 32768) = 16384 "
      "<0.000081>\n"
      "22147 1795226610.000090 <... openat resumed>, O_RDONLY) = 5</g/c>\n"
      "22147 1795226610.000100 read(5</g/c>, \"x\"..., 8) = 8 <0.000005>\n");
  EXPECT_THAT(events_of(parsed.trace), ElementsAre("read /g/a.pak 32768+16384", "read /g/b 0+8",
                                                   "open /g/c", "read /g/c 0+8"));
  EXPECT_EQ(parsed.trace.events[0].thread, 22188U);
  EXPECT_EQ(parsed.trace.events[0].duration_ns, 81'000);
  EXPECT_EQ(parsed.trace.events[2].duration_ns, 70'000) << "from the lines' times, without -T";
}

TEST(Strace, a_call_that_blocks_for_ever_does_not_hold_events_for_ever) {
  std::string text = "1 5.0 read(3</g/pipe>,  <unfinished ...>\n";
  for (size_t i = 0; i < EventWindow::kMaxHeld + 10; ++i)
    text += fmt::format("2 0.000001 pread64(4</g/a>, \"\"..., 1, {}) = 1\n", i);
  text += "1 0.0 <... read resumed>\"x\", 1) = 1\n";
  const Parsed parsed = parse_strace(text);
  EXPECT_EQ(parsed.trace.events.size(), EventWindow::kMaxHeld + 11);
  for (size_t i = 1; i < parsed.trace.events.size(); ++i) {
    if (parsed.trace.events[i].path == parsed.trace.events[i - 1].path) {
      EXPECT_LE(parsed.trace.events[i - 1].start_ns, parsed.trace.events[i].start_ns);
    }
  }
}

TEST(Strace, descriptor_that_is_closed_and_opened_anew_meanwhile_stays_open) {
  EXPECT_THAT(events_of("1 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
                        "1 clone(flags=CLONE_VM|CLONE_FILES|CLONE_THREAD) = 2\n"
                        "1 close(3 <unfinished ...>\n"
                        "2 openat(AT_FDCWD, \"/b\", O_RDONLY) = 3\n"
                        "1 <... close resumed>) = 0\n"
                        "2 read(3, \"x\", 1) = 1\n"),
              ElementsAre("open /a", "open /b", "read /b 0+1"));
}

TEST(Strace, threads_share_descriptors_and_forks_share_positions) {
  const Parsed parsed = parse_strace(
      "1 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
      "1 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, stack=0x7f} => {parent_tid=[2]}, 88) = "
      "2\n"
      "2 openat(AT_FDCWD, \"/b\", O_RDONLY) = 4\n"
      "1 read(4, \"x\", 5) = 5\n"
      "1 fork() = 9\n"
      "9 read(4, \"x\", 5) = 5\n"
      "9 close(4) = 0\n"
      "1 read(4, \"x\", 5) = 5\n"
      "9 read(4, \"x\", 5) = 5\n"
      "9 +++ exited with 0 +++\n");
  EXPECT_THAT(events_of(parsed.trace),
              ElementsAre("open /a", "open /b", "read /b 0+5", "read /b 5+5", "read /b 10+5"));
  EXPECT_EQ(parsed.trace.events[1].thread, 2U);
  EXPECT_EQ(parsed.trace.events[1].process, 1U);
  EXPECT_EQ(parsed.trace.events[3].process, 9U);
}

TEST(Strace, child_that_runs_before_clone_returns_is_known_all_the_same) {
  EXPECT_THAT(events_of("1 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
                        "1 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n"
                        "2 read(3, \"x\", 5) = 5\n"
                        "2 close(3) = 0\n"
                        "1 <... clone resumed>, child_tidptr=0x7f) = 2\n"
                        "1 read(3, \"x\", 5) = 5\n"),
              ElementsAre("open /a", "read /a 0+5", "read /a 5+5"));
}

TEST(Strace, thread_of_unknown_birth_shares_the_first_ones_descriptors_if_it_descends_from_it) {
  EXPECT_THAT(events_of("1 execve(\"/bin/g\", [\"g\"], 0x7ff) = 0\n"
                        "1 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n2 read(3, \"x\", 5) = 5\n"),
              ElementsAre("open /a", "read /a 0+5"));
}

TEST(Strace, terminal_style_tells_threads_apart) {
  const Parsed parsed = parse_strace(
      "     0.000000 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
      "     0.000100 clone(child_stack=NULL, flags=CLONE_FILES|CLONE_THREADstrace: Process 8 "
      "attached\n"
      ", child_tidptr=0x7) = 8 <0.000163>\n"
      "[pid     7]      0.000050 read(3,  <unfinished ...>\n"
      "[pid     8]      0.000050 read(3, \"x\", 5) = 5\n"
      "[pid     7]      0.000100 <... read resumed>\"x\", 5) = 5\n"
      "[pid     8]      0.000000 +++ exited with 0 +++\n"
      "     0.000200 read(3, \"x\", 5) = 5\n"
      "     0.000200 --- SIGCHLD {si_signo=SIGCHLD} ---\n"
      "     0.000200 exit_group(0)             = ?\n"
      "     0.000100 +++ exited with 0 +++\n");
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  ASSERT_THAT(events_of(parsed.trace),
              ElementsAre("open /a", "read /a 5+5", "read /a 0+5", "read /a 10+5"));
  EXPECT_EQ(parsed.trace.events[1].thread, 7U);
  EXPECT_EQ(parsed.trace.events[1].start_ns, 150'000);
  EXPECT_EQ(parsed.trace.events[1].duration_ns, 150'000);
  EXPECT_EQ(parsed.trace.events[2].thread, 8U);
  EXPECT_EQ(parsed.trace.events[3].thread, 7U);
  EXPECT_EQ(parsed.trace.events[3].start_ns, 500'000);
}

TEST(Strace, times_of_day_wrap_at_midnight) {
  const Parsed parsed = parse_strace(
      "23:59:59.900000 read(3</a>, \"x\", 1) = 1\n"
      "23:59:59.800000 read(3</a>, \"x\", 1) = 1\n"
      "00:00:00.100000 read(3</a>, \"x\", 1) = 1\n"
      "00:00:01 read(3</a>, \"x\", 1) = 1\n");
  std::vector<int64_t> starts;
  for (const Event& event : parsed.trace.events) starts.push_back(event.start_ns / 1'000'000);
  EXPECT_THAT(starts, ElementsAre(0, -100, 200, 1100));
  EXPECT_EQ(parsed.trace.header.began_unix_ns, 0);
}

TEST(Strace, fine_relative_time_beats_a_coarse_clock) {
  const Parsed parsed = parse_strace(
      "9137<strace> 09:46:28 (+     0.000000) read(3</a>, \"x\", 1) = 1\n"
      "9137<strace> 09:46:28 (+     0.000439) read(3</a>, \"x\", 1) = 1\n"
      "9137<strace> 09:46:28.5 (+     0.000439) read(3</a>, \"x\", 1) = 1\n");
  ASSERT_EQ(parsed.trace.events.size(), 3U);
  EXPECT_EQ(parsed.trace.events[1].start_ns, 439'000);
  EXPECT_EQ(parsed.trace.events[1].thread, 9137U);
}

TEST(Strace, nanoseconds_and_whole_seconds_are_times_too) {
  const Parsed parsed = parse_strace(
      "9 1795254389.395214524 read(3</a>, \"x\", 1) = 1 <0.000330806>\n"
      "9 1795254389.395214525 read(3</a>, \"x\", 1) = 1 <0.000330806>\n");
  ASSERT_EQ(parsed.trace.events.size(), 2U);
  EXPECT_EQ(parsed.trace.events[1].start_ns, 1);
  EXPECT_EQ(parsed.trace.events[1].duration_ns, 330'806);
  const Parsed whole =
      parse_strace("1795254389 read(3</a>, \"x\", 1) = 1\n1795254390 read(3</a>, \"x\", 1) = 1\n");
  ASSERT_EQ(whole.trace.events.size(), 2U);
  EXPECT_EQ(whole.trace.events[1].start_ns, 1'000'000'000);
}

TEST(Strace, without_times_calls_follow_each_other) {
  const Parsed parsed = parse_strace(
      "read(3</a>, \"x\", 1) = 1 <0.000100>\nstat(\"/a\", 0x1) = 0 <0.000010>\n"
      "read(3</a>, \"x\", 1) = 1 <0.000100>\n");
  ASSERT_EQ(parsed.trace.events.size(), 2U);
  EXPECT_EQ(parsed.trace.events[1].start_ns, 110'000);
}

TEST(Strace, strings_may_hold_what_looks_like_syntax) {
  EXPECT_THAT(
      events_of(
          "read(3</a>, \") = 5 <unfinished ...>\", 32) = 28\n"
          "read(3</a>, \"= -1 \\\"\\\\\", 32) = 7\n"
          "read(3</a>, \"strace: Process 7 attached\"..., 32) = 32\n"
          "read(3</a>, \"[{(\"..., 32) = 32\n"
          "openat(AT_FDCWD</x>, \"a, \\\"b\\\") = 7\", O_RDONLY) = -1 ENOENT (No such file)\n"),
      ElementsAre("read /a 0+28", "read /a 28+7", "read /a 35+32", "read /a 67+32",
                  "open /x/a, \"b\") = 7 !2"));
}

TEST(Strace, names_keep_every_byte) {
  const Parsed parsed = parse_strace(
      "open(\"/\\x41\\33[31m\\377\\n\\0012\", O_RDONLY) = 3</\\x41\\33[31m\\377\\n\\0012>\n"
      "read(3</\\74x\\76\\303\\251>, \"x\", 1) = 1\n"
      "read(3<\\x2f\\x61>, \"x\", 1) = 1\n");
  ASSERT_EQ(parsed.trace.paths.size(), 3U);
  EXPECT_EQ(parsed.trace.paths[0],
            "/A\x1b[31m\xff\n\x01"
            "2");
  EXPECT_EQ(parsed.trace.paths[1], "/<x>\xc3\xa9");
  EXPECT_EQ(parsed.trace.paths[2], "/a");
}

TEST(Strace, what_is_no_file_is_left_out) {
  const Parsed parsed = parse_strace(
      "read(3<socket:[123]>, \"x\", 1) = 1\n"
      "read(3<TCP:[127.0.0.1:80->127.0.0.1:81]>, \"x\", 1) = 1\n"
      "read(3<UNIX-STREAM:[21520->21521, \"/run/x\"]>, \"x\", 1) = 1\n"
      "read(3<pipe:[1]>, \"x\", 1) = 1\n"
      "read(3<anon_inode:[eventfd]>, \"x\", 8) = 8\n"
      "read(3<anon_inode:inotify>, \"x\", 8) = 8\n"
      "read(3</memfd:x>(deleted), \"x\", 8) = 8\n"
      "pipe2([4, 5], O_CLOEXEC) = 0\n"
      "read(4, \"x\", 1) = 1\n"
      "socket(AF_UNIX, SOCK_STREAM, 0) = 6\n"
      "read(6, \"x\", 1) = 1\n"
      "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f\n"
      "openat(AT_FDCWD, \"/dir\", O_RDONLY|O_DIRECTORY) = 7\n"
      "openat(AT_FDCWD, \"/save\", O_WRONLY|O_CREAT, 0644) = 8\n"
      "write(8, \"x\", 1) = 1\n");
  EXPECT_THAT(parsed.trace.events, IsEmpty());
  EXPECT_THAT(parsed.report.warnings, IsEmpty());
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
}

TEST(Strace, descriptor_of_a_device_with_details) {
  EXPECT_THAT(events_of("read(0</dev/pts/0<char 136:0>>, \"x\", 1) = 1\n"),
              ElementsAre("read /dev/pts/0 0+1"));
}

TEST(Strace, relative_paths_are_resolved_where_the_trace_tells_how) {
  const Parsed parsed = parse_strace(
      "openat(AT_FDCWD</g/bin>, \"../data/./a.pak\", O_RDONLY) = -1 EACCES (Permission denied)\n"
      "openat(AT_FDCWD, \"/g\", O_RDONLY|O_PATH|O_DIRECTORY) = 5\n"
      "openat(5, \"b.pak\", O_RDONLY) = 6\n"
      "openat(7</h>, \"c.pak\", O_RDONLY) = 8</h/real.pak>\n"
      "openat2(7</h>, \"d.pak\", {flags=O_RDONLY, resolve=0}, 24) = 8\n"
      "open(\"/g/bin/../x\", O_RDONLY) = 9\n"
      "open(\"rel/y\", O_RDONLY) = 9\n"
      "read(9, \"x\", 1) = 1\n");
  EXPECT_THAT(events_of(parsed.trace),
              ElementsAre("open /g/data/a.pak !13", "open /g/b.pak", "open /h/real.pak",
                          "open /h/d.pak", "open /g/x", "open rel/y", "read rel/y 0+1"));
  EXPECT_THAT(parsed.report.warnings, ElementsAre(HasSubstr("relative paths")));
}

TEST(Strace, calls_that_never_returned_are_no_events) {
  EXPECT_THAT(events_of("read(3</a>,  <unfinished ...>) = ?\n"
                        "read(3</a>, 0x7ff, 10) = ? ERESTARTSYS (To be restarted)\n"
                        "2 read(3</a>, <unfinished ...>\n"
                        "2 <... read resumed>)          = ? ERESTARTSYS (To be restarted)\n"
                        "2 --- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL} ---\n"
                        "2 read(3</a>, <detached ...>\n"
                        "2 +++ killed by SIGKILL +++\n"
                        "strace: Process 2 detached\n")
                  .size(),
              0U);
}

TEST(Strace, resumed_call_without_its_beginning_is_passed_over) {
  EXPECT_THAT(events_of("3 <... read resumed>\"x\", 1) = 1\n3 read(3</a>, \"x\", 1) = 1\n"),
              ElementsAre("read /a 0+1"));
}

TEST(Strace, reads_of_unknown_descriptors_are_counted) {
  const Parsed parsed = parse_strace(
      "read(9, \"x\", 1) = 1\nread(0, \"x\", 1) = 1\nread(3</a>, \"x\", 1) = 1\n"
      "mmap(NULL, 4096, PROT_READ, MAP_SHARED, 8, 0) = 0x7f74b4140000\n");
  EXPECT_THAT(events_of(parsed.trace), ElementsAre("read /a 0+1"));
  EXPECT_THAT(parsed.report.warnings, ElementsAre(HasSubstr("left out: 2 of 3;")));
}

TEST(Strace, a_trace_that_loses_most_of_its_reads_is_refused) {
  std::string text = "read(3</a>, \"x\", 1) = 1\n";
  for (int i = 0; i < 3; ++i) text += "read(9, \"x\", 1) = 1\n";
  MemoryStream stream("t.strace", text);
  Trace trace;
  const auto report = import_trace(stream, {}, trace);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::damaged);
  EXPECT_THAT(report.error().message, HasSubstr("3 of 4 reads"));
  EXPECT_THAT(report.error().message, HasSubstr("strace -y"));
  EXPECT_EQ(parse_strace(text, {.lenient = true}).trace.events.size(), 1U);
  // Many reads of few bytes usually come from sockets and the like.
  EXPECT_EQ(parse_strace(text + "read(3</a>, \"x\"..., 4096) = 4096\n").trace.events.size(), 2U);
}

TEST(Strace, numbers_of_X_raw_mean_what_their_names_do) {
  const Parsed parsed = parse_strace(
      "1 execve(\"/bin/g\", [\"g\"], 0x7ff) = 0\n"
      "1 chdir(\"/g\") = 0\n"
      "1 openat(-100, \"a.pak\", 0x80000) = 3\n"
      "1 read(3, \"x\", 5) = 5\n"
      "1 openat(-100, \"/g\", 0x90000) = 4\n"
      "1 openat(4, \"b\", 0x80000) = 5\n"
      "1 openat(-100, \"out\", 0x41, 0644) = 6\n"
      "1 mmap(NULL, 50, 0x1, 0x1, 5, 0) = 0x7f9871458000\n"
      "1 mmap(NULL, 50, 0x2, 0x1, 5, 0) = 0x7f9871458000\n"
      "1 fcntl(3, 0x406, 0) = 7\n"
      "1 fcntl(3, 0x3) = 9\n"
      "1 fcntl(3, 0, 20) = 20\n"
      "1 read(20, \"x\", 1) = 1\n"
      "1 clone3({flags=0x3d0f00, exit_signal=0} => {parent_tid=[2]}, 88) = 2\n"
      "2 read(7, \"x\", 2) = 2\n"
      "1 clone(child_stack=NULL, flags=0x1200011) = 8\n"
      "8 openat2(-100, \"c\", {flags=0x80000, resolve=0}, 24) = 4\n"
      "1 openat(4, \"d\", 0x80000) = 10\n"
      "2 execve(\"/bin/h\", [\"h\"], 0x7ff) = 0\n");
  EXPECT_THAT(events_of(parsed.trace),
              ElementsAre("open /g/a.pak", "read /g/a.pak 0+5", "open /g/b", "map /g/b 0+50",
                          "read /g/a.pak 5+1", "read /g/a.pak 6+2", "open /g/c", "open /g/d"));
  EXPECT_THAT(parsed.report.warnings, IsEmpty());
  EXPECT_EQ(parsed.trace.events[5].process, 1U);
  EXPECT_EQ(parsed.trace.events[6].process, 8U);
}

TEST(Strace, what_several_processes_hold_is_not_mixed_up) {
  // With strace -p 7 -p 8, both processes have a descriptor 3, and neither's opening is in the
  // trace.
  const std::string opened = "7 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n";
  const std::string reads =
      "7 read(3, \"x\", 9) = 9\n8 read(3, \"x\", 5) = 5\n7 read(3, \"x\", 1) = 1\n";
  const Parsed parsed = parse_strace(opened + reads);
  EXPECT_THAT(events_of(parsed.trace), ElementsAre("open /a", "read /a 0+9", "read /a 9+1"));
  EXPECT_THAT(parsed.report.warnings, ElementsAre(HasSubstr("left out: 1 of 3;")));
  EXPECT_THAT(
      events_of(parse_strace("7 execve(\"/bin/g\", [\"g\"], 0x7ff) = 0\n" + opened + reads).trace),
      ElementsAre("open /a", "read /a 0+9", "read /a 9+5", "read /a 14+1"))
      << "a program that strace started has one first process, from which 8 descends";
  const Parsed named =
      parse_strace(opened + "8 read(3</b>, \"x\", 5) = 5\n7 read(3, \"x\", 1) = 1\n");
  EXPECT_THAT(events_of(named.trace), ElementsAre("open /a", "read /b 0+5", "read /a 0+1"));
}

TEST(Strace, instruction_pointers_call_numbers_and_stacks_are_passed_over) {
  EXPECT_THAT(events_of("1795254388.7 [ 257] [00007f3dbf569b1d] open(\"/a\", O_RDONLY) = 3\n"
                        " > /usr/lib/ld-linux-x86-64.so.2(_dl_catch_error+0x869d) [0x20b1d]\n"
                        "1795254388.8 [  60] [????????????????] +++ exited with 0 +++\n"),
              ElementsAre("open /a", "read /a 0+18446744073709551615"));
}

TEST(Strace, command_comes_from_the_first_line) {
  EXPECT_EQ(
      parse_strace("execve(\"/usr/bin/ls\", [\"ls\", \"-l\", \"a b\"], 0x7ff /* 27 vars */) = 0\n")
          .trace.header.command,
      "ls -l a b");
  EXPECT_EQ(parse_strace("execve(\"/usr/bin/ls\", [...], 0x7ff /* 27 vars */) = 0\n")
                .trace.header.command,
            "/usr/bin/ls");
}

TEST(Strace, unparsed_lines_are_counted_and_too_many_are_an_error) {
  std::string text = "hello, world\nread(3</a>, \"unterminated, 1) = 1\n";
  for (int i = 0; i < 300; ++i) text += "read(3</a>, \"x\", 1) = 1\n";
  const Parsed parsed = parse_strace(text);
  EXPECT_EQ(parsed.report.lines, 302U);
  EXPECT_EQ(parsed.report.unparsed_lines, 2U);
  EXPECT_EQ(parsed.report.first_unparsed[0].text, "hello, world");
  EXPECT_EQ(parsed.report.first_unparsed[1].number, 2U);
  EXPECT_EQ(parsed.trace.events.size(), 300U);

  text = "a\nb\nc\nd\n" + text;
  MemoryStream stream("t.strace", text);
  Trace trace;
  const auto report = import_trace(stream, {.format = "strace"}, trace);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::damaged);
  EXPECT_THAT(report.error().message,
              testing::AllOf(HasSubstr("6 of 306"), HasSubstr("line 1 'a'"),
                             HasSubstr("line 3 'c'"), HasSubstr("--lenient")));
  EXPECT_EQ(parse_strace(text, {.lenient = true}).report.unparsed_lines, 6U);
}

TEST(Strace, numbers_out_of_range_are_not_believed) {
  const Parsed parsed = parse_strace(
      "1 read(3</a>, \"x\", 1) = 9223372036854775807\n"
      "1 read(3</a>, \"x\", 1) = 99999999999999999999\n"
      "1 pread64(3</a>, \"x\", 1, -5) = 1\n"
      "1 pread64(3</a>, \"x\", 1, 9223372036854775807) = 1\n"
      "1 mmap(NULL, 18446744073709551615, PROT_READ, MAP_SHARED, 3</a>, 0) = 0x7f\n"
      "1 lseek(3</a>, 0, SEEK_SET) = -7\n"
      "1 99999999.0 read(3</a>, \"x\", 1) = 1\n"
      "1 9199999999.0 read(3</a>, \"x\", 1) = 1\n"
      "1 1795254388.0 read(3</a>, \"x\", 1) = 1 <99999999999999.0>\n"
      "99999999999 read(3</a>, \"x\", 1) = 1\n",
      {.lenient = true});
  EXPECT_GE(parsed.report.unparsed_lines, 6U);
  for (const Event& event : parsed.trace.events) {
    EXPECT_LE(event.offset_bytes + event.length_bytes, kPlaceLimitBytes);
    EXPECT_LE(event.start_ns, kTimeLimitNs);
  }
}

TEST(Strace, cut_last_line_is_dropped_with_a_warning) {
  const std::string start = "1 1.0 read(3</a>, \"x\", 1) = 1 <0.000051>\n";
  const std::string last = "1 1.1 read(3</a>, \"x\", 10) = 10 <0.000051>";
  for (size_t size = 1; size < last.size(); ++size) {
    const Parsed parsed = parse_strace(start + last.substr(0, size));
    EXPECT_EQ(parsed.trace.events.size(), 1U) << size;
    EXPECT_EQ(parsed.report.warnings.size(), 1U) << last.substr(0, size);
    EXPECT_EQ(parsed.report.unparsed_lines, 0U);
  }
  EXPECT_EQ(parse_strace(start + last).trace.events.size(), 2U);
}

TEST(Strace, forks_cannot_multiply_memory) {
  std::string text;
  for (int i = 3; i < 4000; ++i) text += fmt::format("1 open(\"/a\", O_RDONLY) = {}\n", i);
  for (int i = 2; i < 20000; ++i) text += fmt::format("1 fork() = {}\n", i);
  text += "1 read(3999, \"x\", 1) = 1\n";
  EXPECT_EQ(parse_strace(text).report.reads, 1U);
}

TEST(Strace, folders_opened_within_folders_cannot_multiply_memory) {
  std::string text = "openat(AT_FDCWD, \"/\", O_RDONLY|O_DIRECTORY) = 3\n";
  const std::string name(200, 'n');
  for (int i = 0; i < 2000; ++i) text += fmt::format("openat(3, \"{}\", O_RDONLY) = 3\n", name);
  const Parsed parsed = parse_strace(text);
  for (const std::string& path : parsed.trace.paths) EXPECT_LE(path.size(), 4096U);
}

TEST(Strace, windows_line_ends_are_passed_over) {
  EXPECT_THAT(events_of("read(3</a>, \"x\", 1) = 1\r\nread(3</a>, \"x\", 1) = 1\r\n"),
              ElementsAre("read /a 0+1", "read /a 1+1"));
}

TEST(Strace, random_damage_never_crashes) {
  const std::string text =
      "7 1795226612.464656 pread64(3</g/a.pak>,  <unfinished ...>\n"
      "8 1795226612.464700 clone(child_stack=NULL, flags=CLONE_FILESstrace: Process 9 attached\n"
      ", child_tidptr=0x7) = 9 <0.000163>\n"
      "7 1795226612.464737 <... pread64 resumed>\"\\373P\\303\"..., 16384, 32768) = 16384 "
      "<0.000081>\n"
      "7 1795226612.469741 mmap(NULL, 8192, PROT_READ, MAP_SHARED, 3</g/a.pak>, 0) = "
      "0x7f74b4140000 "
      "<0.000056>\n"
      "7 1795226612.471201 read(5</g/b.tmp>(deleted), \"x\", 10) = 1 <0.000051>\n";
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i)
      damaged[random() % damaged.size()] = "<>()\"\\,= \n[]{}0-?x\xff"[random() % 19];
    parse_strace(damaged, {.lenient = true});
  }
}

TEST(Strace, reads_a_real_log_without_annotations) {
  const char* folder = std::getenv("SEEKLESS_SAMPLES");
  const std::filesystem::path file =
      std::filesystem::path(folder != nullptr ? folder : SEEKLESS_DEFAULT_SAMPLES) / "ls.strace";
  if (!std::filesystem::exists(file))
    GTEST_SKIP() << "no " << file << "; SEEKLESS_SAMPLES names the folder of real logs";
  Trace trace;
  const auto report = read_trace(file.generic_string(), {}, trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->dialect, "strace");
  EXPECT_EQ(report->scenario, "ls");
  EXPECT_EQ(report->lines, 104U);
  EXPECT_EQ(report->unparsed_lines, 0U);
  // There are six reads that gave bytes (a seventh was at the end of its file), and eight preads.
  EXPECT_EQ(report->reads, 14U);
  EXPECT_EQ(report->opens, 8U);
  EXPECT_EQ(trace.header.command, "ls");
  EXPECT_THAT(events_of(trace), testing::Contains("read /lib/x86_64-linux-gnu/libc.so.6 848+32"));
}

TEST(Strace, exec_closes_what_was_opened_to_be_closed_by_it) {
  EXPECT_THAT(
      events_of("openat(AT_FDCWD, \"/gone\", O_RDONLY|O_CLOEXEC) = 3\n"
                "openat(AT_FDCWD, \"/kept\", O_RDONLY) = 4\n"
                "dup(3) = 5\n"
                "fcntl(4, F_DUPFD_CLOEXEC, 6) = 6\n"
                "openat(AT_FDCWD, \"/set\", O_RDONLY) = 7\n"
                "fcntl(7, F_SETFD, FD_CLOEXEC) = 0\n"
                "openat(AT_FDCWD, \"/cleared\", O_RDONLY|O_CLOEXEC) = 8\n"
                "fcntl(8, F_SETFD, 0) = 0\n"
                "openat(AT_FDCWD, \"/range\", O_RDONLY) = 9\n"
                "close_range(9, 9, CLOSE_RANGE_CLOEXEC) = 0\n"
                "execve(\"/none\", [\"x\"], 0x7ffc /* 1 var */) = -1 ENOENT (No)\n"
                "read(3, \"\", 9) = 1\n"
                "execve(\"/bin/x\", [\"x\"], 0x7ffc /* 1 var */) = 0\n"
                "read(3, \"\", 9) = 2\n"
                "read(4, \"\", 9) = 3\n"
                "read(5, \"\", 9) = 4\n"
                "read(6, \"\", 9) = 5\n"
                "read(7, \"\", 9) = 6\n"
                "read(8, \"\", 9) = 7\n"
                "read(9, \"\", 9) = 8\n"),
      ElementsAre("open /gone", "open /kept", "open /set", "open /cleared", "open /range",
                  "read /gone 0+1", "read /kept 0+3", "read /gone 1+4", "read /cleared 0+7"));
}

TEST(Strace, copies_within_the_kernel_are_reads_of_where_they_come_from) {
  EXPECT_THAT(events_of("pread64(3</a>, \"\", 9, 0) = 1\n"
                        "copy_file_range(3</a>, [700], 4</out>, NULL, 50, 0) = 50\n"
                        "copy_file_range(3</a>, [750] => [760], 4</out>, NULL, 50, 0) = 10\n"
                        "copy_file_range(3</a>, NULL, 4</out>, [9], 60, 0) = 60\n"
                        "splice(3</a>, [800], 5<pipe:[9]>, NULL, 70, SPLICE_F_MOVE) = 70\n"
                        "splice(3</a>, NULL, 5<pipe:[9]>, NULL, 80, 0) = 80\n"
                        "splice(5<pipe:[9]>, NULL, 4</out>, NULL, 80, 0) = 80\n"
                        "sendfile(4</out>, 3</a>, [7] => [17], 10) = 10\n"
                        "sendfile(4</out>, 3</a>, NULL, 5) = 5\n"
                        "sendfile(4</out>, 3</a>, NULL, 5) = -1 EAGAIN (Try again)\n"),
              ElementsAre("read /a 0+1", "read /a 700+50", "read /a 750+10", "read /a 0+60",
                          "read /a 800+70", "read /a 60+80", "read /a 7+10", "read /a 140+5"));
}

TEST(Strace, reads_that_it_does_not_show_are_warned_of) {
  const Parsed parsed = parse_strace(
      "openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n"
      "io_uring_setup(8, {flags=0}) = 4\n"
      "io_uring_enter(4, 2, 2, IORING_ENTER_GETEVENTS, NULL, 8) = 2\n"
      "io_submit(0x7f00, 1, [{aio_fildes=3}]) = 1\n"
      "io_submit(0x7f00, 1, [{aio_fildes=3}]) = -1 EAGAIN (Try again)\n");
  EXPECT_THAT(parsed.report.warnings,
              ElementsAre(HasSubstr("hand them over: 2;"), EndsWith("counts as read whole")));
}

}  // namespace
}  // namespace seekless
