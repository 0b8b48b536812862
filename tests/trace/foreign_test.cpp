// Tests logs of other tools, which no dialect reads: the error names each tool, and the command to
// run.
#include "packer/trace/internal/foreign.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/imported.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Text {
  const char* name;
  const char* advice;
  const char* text;
};

class ForeignText : public testing::TestWithParam<Text> {};

TEST_P(ForeignText, is_refused_by_its_name_with_what_to_run) {
  Trace trace;
  const auto report = import_text(GetParam().text, trace);
  ASSERT_FALSE(report) << GetParam().text;
  EXPECT_EQ(report.error().kind, ErrorKind::damaged);
  EXPECT_THAT(report.error().message,
              AllOf(HasSubstr(GetParam().name), HasSubstr(GetParam().advice)));
}

INSTANTIATE_TEST_SUITE_P(
    Trace, ForeignText,
    testing::Values(
        Text{"ltrace", "strace",
             "fopen(\"/g/a.pak\", \"rb\")                = 0x55d0c4a2b2a0\n"
             "fread(0x7ffd, 1, 4096, 0x55d0c4a2b2a0)     = 4096\n"
             "fclose(0x55d0c4a2b2a0)                     = 0\n+++ exited (status 0) +++\n"},
        Text{"ltrace", "strace",
             "[pid 123] __libc_start_main(0x401136, 1, 0x7ffd, 0 <unfinished ...>\n"
             "[pid 123] malloc(552)                      = 0x2d5a2a0\n"},
        Text{"ltrace", "strace",
             "game->fopen(\"/g/a.pak\", \"rb\") = 0x1f062a0\n"
             "libz.so.1->malloc(24) = 0x1f06480\n"},
        Text{"dtruss", "sed",
             "SYSCALL(args) \t\t = return\n"
             "open(\"/g/a.pak\\0\", 0x0, 0x0)\t\t = 3 0\n"
             "read(0x3, \"PK\\0\", 0x1000)\t\t = 4096 0\n"},
        Text{"dtruss", "sed",
             "\tPID/THRD  SYSCALL(args) \t\t = return\n"
             " 1234/0x5678:  open(\"/g/a.pak\\0\", 0x0, 0x0)\t\t = 3 0\n"},
        Text{"sysdig", "sed",
             "1 16:04:21.123456789 0 game (4242) > openat dirfd=-100(AT_FDCWD) name=/g/a.pak\n"
             "2 16:04:21.123456790 0 game (4242) < openat fd=3(<f>/g/a.pak) dirfd=-100(AT_FDCWD)\n"
             "3 16:04:21.123456799 1 game (4242) > read fd=3(<f>/g/a.pak) size=4096\n"
             "4 16:04:21.123456999 1 game (4242) < read res=4096 data=PK\n"},
        Text{"gVisor", "sed",
             "openat(AT_FDCWD /tmp/x, 0x7f17 /g/a.pak, O_RDONLY, 0o0) = 3 (0x3) (2.417µs)\n"
             "openat(AT_FDCWD /tmp/x, 0x7f17 /g/b.pak, O_RDONLY, 0o0) = 0 (0x0) errno=2 (no such "
             "file or directory) (2.417µs)\n"},
        Text{"gVisor", "sed",
             "I1128 10:00:01.123456       1 strace.go:561] [   1:   1] game E openat(AT_FDCWD /g, "
             "0x7f17 /g/a.pak, O_RDONLY, 0o0)\n"
             "I1128 10:00:01.123459       1 strace.go:605] [   1:   1] game X openat(AT_FDCWD /g, "
             "0x7f17 /g/a.pak, O_RDONLY, 0o0) = 3 (0x3) (2.417µs)\n"
             "I1128 10:00:01.123465       1 strace.go:605] [   1:   1] game X read(0x3 /g/a.pak, "
             "0xc000 \"PK\", 0x1000) = 4096 (0x1000) (5.1µs)\n"},
        Text{"auditd", "sed",
             "type=SYSCALL msg=audit(1364481363.243:24287): arch=c000003e syscall=2 success=yes\n"
             "type=CWD msg=audit(1364481363.243:24287):  cwd=\"/g\"\n"
             "type=PATH msg=audit(1364481363.243:24287): item=0 name=\"/g/a.pak\" inode=409248 "
             "nametype=NORMAL\n"},
        Text{"auditd", "sed",
             "----\ntime->Thu Mar 28 14:36:03 2013\n"
             "type=PATH msg=audit(03/28/2013 14:36:03.243:24287) : item=0 name=/g/a.pak inode=4\n"},
        Text{
            "ftrace", "strace",
            "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
            "            game-1234    [001] .....   123.456789: sys_enter_openat: dfd: ffffff9c\n"},
        Text{"trace-cmd", "strace",
             "            game-1234  [001]   123.456789: sys_enter_openat: dfd: 0xffffff9c\n"
             "            game-1234  [001]   123.456799: block_rq_issue: 8,0 R 16384 () 43 + 32\n"},
        Text{"perf script", "perf trace",
             "  game    6439 [001]  3399.871468:    syscalls:sys_enter_openat: dfd: 0xffffff9c\n"
             "  game    6439 [001]  3399.871508:    ext4:ext4_es_lookup_extent_enter: dev 254,1\n"},
        Text{
            "tracerpt", "xperf",
            "Event Name, Type, Event ID, Version, Channel, Level, Opcode, Task, Keyword, PID, TID\n"
            "FileIo, Read, 0, 2, 0, 0, 67, 0, 0x0, 0x0B54, 0x0C10, 1\n"},
        Text{"tracerpt", "xperf",
             "<Events>\n<Event xmlns=\"http://schemas.microsoft.com/win/2004/08/events/event\">\n"
             "</Event></Events>\n"},
        Text{"Process Monitor", "PML",
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<procmon><processlist>\r\n"
             "<process><ProcessIndex>7</ProcessIndex></process></processlist></procmon>\n"},
        Text{"Windows Performance Analyzer", "xperf",
             "Line #,Process Name,Path Tree,Count,Size (B),IO Time (us)\n"
             "1,game.exe (2900),C:\\g\\a.pak,3,16384,12.5\n"},
        Text{"DTrace", "sed",
             "dtrace: description 'syscall::open*:entry ' matched 3 probes\n"
             "CPU     ID                    FUNCTION:NAME\n"
             "  0    168                       open:entry game /g/a.pak\n"},
        Text{"opensnoop", "sed",
             "  UID    PID COMM          FD PATH\n  501   1234 game   3 /g/a\n"},
        Text{"iosnoop", "biosnoop",
             "  UID   PID D    BLOCK   SIZE       COMM PATHNAME\n"
             "  501  1234 R    43781   4096       game /g/a.pak\n"},
        Text{"kdump", "sed",
             "  1234 game     CALL  open(0x7fffffffe5a0,0<O_RDONLY>)\n"
             "  1234 game     NAMI  \"/g/a.pak\"\n  1234 game     RET   open 3\n"},
        Text{"lsof", "sed",
             "COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF    NODE NAME\n"
             "game    1234 user    3r   REG    8,1   655360 1234567 /g/a.pak\n"},
        Text{"Wine", "sed",
             "0024:trace:file:CreateFileW L\"C:\\\\g\\\\a.pak\" GENERIC_READ FILE_SHARE_READ  "
             "creation 3 attributes 0x80\n0024:trace:file:ReadFile 0x50 0x7ffe 4096\n"},
        Text{"Wine", "strace",
             "0024:Call KERNEL32.CreateFileW(0012fe10 L\"C:\\\\g\\\\a.pak\",80000000) ret=00401\n"
             "0024:Ret  KERNEL32.CreateFileW() retval=00000050 ret=00401\n"},
        Text{"API Monitor", "Process Monitor",
             "#\tTime of Day\tThread\tModule\tAPI\tReturn Value\tError\tDuration\n"
             "1\t10:20:30.123 AM\t1\tgame.exe\tCreateFileW\t0x50\t\t0.0001\n"},
        Text{"file summary of Process Monitor", "All events",
             "\"File Time\",\"Total Events\",\"Opens\",\"Closes\",\"Reads\",\"Path\"\n"
             "\"0.1\",\"5\",\"1\",\"1\",\"3\",\"C:\\g\\a.pak\"\n"},
        Text{"strace -c", "strace",
             "% time     seconds  usecs/call     calls    errors syscall\n"
             "------ ----------- ----------- --------- --------- ----------------\n"
             " 50.00    0.000100          10        10           read\n"},
        Text{"babeltrace", "sed",
             "[12:34:56.789012345] (+0.000001234) host syscall_entry_openat: { cpu_id = 0 }, { "
             "dfd = -100, filename = \"/g/a.pak\" }\n"},
        Text{"bpftrace", "strace", "Attaching 2 probes...\ngame opened something\n"},
        Text{"fs_usage", "sed",
             "21:01:51.110163  open   F=3  (R_____)  /g/a.pak   0.000010   game.12345\n"}));

TEST(Foreign, lines_of_dialects_are_not_taken_for_others) {
  for (const char* text :
       {"42 1795226612.464656 openat(AT_FDCWD, \"/g/fopen(1)->x(\", O_RDONLY) = 3\n",
        "1 1.0 write(1, \"fopen(\\\"a\\\") = 0x1\", 5) = 5\n",
        "TIME(s)  PID    COMM  FD ERR FLAGS PATH\n0.5 1576 game 11 0 02000000 /g/a.pak\n",
        "Attaching 6 probes...\nPID    COMM               FD ERR PATH\n15 game 3 0 /g/a.pak\n",
        "02:12:11.404376 cat(3937): O /g/a.pak\n", "8,0 3 1 0.5 594 D R 8 + 16 [0]\n",
        "     0.717 ( 0.022 ms): game-1/305 openat(dfd: CWD, filename: \"/g/[1]: a\") = 4\n"}) {
    EXPECT_FALSE(recognise_foreign(text)) << text;
    Trace trace;
    EXPECT_TRUE(import_leniently(text, trace)) << text;
  }
}

}  // namespace
}  // namespace seekless
