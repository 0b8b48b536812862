// Tests traces that contain opens and no reads.
#include "packer/trace/internal/opens_as_reads.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/imported.h"
#include "tests/trace/procmon_log.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Returns each event as "open /a" or "read /a"; only whole files are read.
std::vector<std::string> lines_of_events(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Event& event : trace.events)
    lines.push_back((event.kind == EventKind::open      ? "open "
                     : event.length_bytes == kWholeFile ? "whole "
                                                        : "read ") +
                    trace.paths.at(event.path));
  return lines;
}

TEST(OpensAsReads, each_open_counts_as_a_whole_read_where_no_read_is_told) {
  Trace trace;
  const auto report = import_text(
      "1.0 openat(AT_FDCWD, \"/g/b\", O_RDONLY) = 3\n"
      "1.1 openat(AT_FDCWD, \"/g/none\", O_RDONLY) = -1 ENOENT (No such file or directory)\n"
      "1.2 openat(AT_FDCWD, \"/g/out\", O_WRONLY|O_CREAT, 0644) = 4\n"
      "1.3 openat(AT_FDCWD, \"/g/a\", O_RDONLY) = 4\n",
      trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(lines_of_events(trace),
              ElementsAre("open /g/b", "whole /g/b", "open /g/none", "open /g/a", "whole /g/a"));
  EXPECT_EQ(report->reads, 2U);
  EXPECT_THAT(report->warnings,
              ElementsAre(AllOf(HasSubstr("no read was recorded"), HasSubstr("strace -f"))));
}

TEST(OpensAsReads, nothing_is_made_up_where_reads_are_told) {
  for (const char* read :
       {"read(3, \"x\", 5) = 5\n", "mmap(NULL, 5, PROT_READ, MAP_SHARED, 3, 0) = 7\n",
        "read(3, \"\", 5) = 0\n"}) {
    Trace trace;
    const auto report =
        import_text(std::string("openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\n") + read, trace);
    ASSERT_TRUE(report);
    EXPECT_EQ(lines_of_events(trace).front(), "open /a");
    for (const std::string& event : lines_of_events(trace)) EXPECT_NE(event, "whole /a") << read;
  }
}

TEST(OpensAsReads, files_of_which_nothing_was_read_are_warned_of) {
  Trace trace;
  const auto report =
      import_text("openat(AT_FDCWD, \"/a\", O_RDONLY) = 3\nread(3, \"\", 5) = 0\n", trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("files were opened, and nothing was read")));
}

TEST(OpensAsReads, our_own_recorder_tells_reads) {
  const std::string rest =
      "\n{\"path\":\"/a\"}\n{\"open\":true,\"file\":0}\n{\"begins\":\"x\"}\n"
      "{\"open\":true,\"file\":0}\n";
  Trace own;
  ASSERT_TRUE(import_text("{\"seekless\":\"trace\",\"version\":1}" + rest, own));
  EXPECT_THAT(lines_of_events(own), ElementsAre("open /a", "open /a"));
  Trace imported;
  ASSERT_TRUE(import_text("{\"seekless\":\"trace\",\"version\":1,\"dialect\":\"strace\"}" + rest,
                          imported));
  EXPECT_THAT(lines_of_events(imported), ElementsAre("open /a", "whole /a", "open /a", "whole /a"));
  EXPECT_EQ(imported.marks.size(), 1U);
}

TEST(OpensAsReads, opens_of_process_monitor_for_attributes_writing_or_folders_read_nothing) {
  const auto row = [](const char* path, const char* detail) {
    return std::string("\"1:00:00\",\"g.exe\",\"7\",\"CreateFile\",\"") + path +
           "\",\"SUCCESS\",\"Desired Access: " + detail + "\"\r\n";
  };
  Trace trace;
  const auto report = import_text(
      kCsvHeader + row("C:\\a", "Read Attributes, Disposition: Open, Options: Open For Backup") +
          row("C:\\b", "Generic Read, Disposition: Open, Options: Non-Directory File") +
          row("C:\\c",
              "Read Data/List Directory, Synchronize, Disposition: Open, Options: Directory") +
          row("C:\\d", "Generic Write, Disposition: OverwriteIf, ShareMode: Read") +
          row("C:\\e", "Generic Read/Write, Disposition: Open"),
      trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(lines_of_events(trace),
              ElementsAre("open C:\\a", "open C:\\b", "whole C:\\b", "open C:\\c", "open C:\\d",
                          "open C:\\e", "whole C:\\e"));
}

TEST(OpensAsReads, failed_opens_alone_read_nothing) {
  Trace trace;
  const auto report =
      import_text("openat(AT_FDCWD, \"/a\", O_RDONLY) = -1 ENOENT (No such file)\n", trace);
  ASSERT_TRUE(report);
  EXPECT_THAT(lines_of_events(trace), ElementsAre("open /a"));
  EXPECT_THAT(report->warnings, ElementsAre(HasSubstr("no file was opened")));
}

}  // namespace
}  // namespace seekless
