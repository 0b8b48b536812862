#include "packer/trace/dialect.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/trace/internal/lines.h"
#include "packer/trace/run_name.h"
#include "tests/content/test_folder.h"
#include "tests/trace/imported.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kNative =
    "{\"seekless\":\"trace\",\"version\":1,\"scenario\":\"own\"}\n{\"path\":\"/g/a\"}\n"
    "{\"read\":5}\n{\"path\":\"/g/b\"}\n{\"read\":7}\n{\"path\":\"/G/a\"}\n{\"read\":9}\n"
    "{\"path\":\"/unread\"}\n";

TEST(Dialects, are_recognised_by_content) {
  Trace trace;
  EXPECT_EQ(import_text(kNative, trace)->dialect, "seekless");
  for (const char* text :
       {"7 1.0 read(3</a>, \"x\", 1) = 1 <0.1>\n", "12:34:56 open(\"/a\", O_RDONLY) = 3\n",
        "[pid 7] 1.0 read(3</a>, \"x\", 1) = 1\n", "strace: Process 7 attached\n",
        "execve(\"/bin/ls\", [\"ls\"], 0x7 /* 27 vars */) = 0\nbrk(NULL) = 0x1\n"}) {
    const auto report = import_text(text, trace);
    ASSERT_TRUE(report) << text;
    EXPECT_EQ(report->dialect, "strace");
  }
}

TEST(Dialects, of_files_are_told_without_reading_them_as_traces) {
  const TestFolder folder;
  const auto dialect_of = [&](std::string_view text) {
    const Dialect* found = dialect_of_file(folder.write("file", text));
    return found == nullptr ? "none" : std::string(found->name);
  };
  EXPECT_EQ(dialect_of(kNative), "seekless");
  EXPECT_EQ(dialect_of("7 1.0 read(3</a>, \"x\", 1) = 1 <0.1>\n"), "strace");
  EXPECT_EQ(dialect_of("/g/a\n/g/b\n"), "list");
  for (const char* text : {"", "hello\n", "PERFILE2", "\xfd\x37zXZ"})
    EXPECT_EQ(dialect_of(text), "none") << text;
  EXPECT_EQ(dialect_of_file(folder.path("missing")), nullptr);
  EXPECT_EQ(dialect_of_file(folder.path()), nullptr);
}

TEST(Dialects, unknown_content_is_an_error_that_names_what_was_looked_for) {
  for (const char* text : {"", "hello\n", "\xff\xfd", "{\"a\":1}\n",
                           "\"4:33:26 PM\",\"game.exe\",\"3584\",\"ReadFile\"\n"}) {
    Trace trace;
    const auto report = import_text(text, trace);
    ASSERT_FALSE(report) << text;
    EXPECT_EQ(report.error().kind, ErrorKind::damaged);
    EXPECT_THAT(report.error().message,
                AllOf(HasSubstr("strace"), HasSubstr("seekless"),
                      HasSubstr(*text == '\0' ? "an empty file" : "--format")));
  }
}

TEST(Dialects, xz_is_refused_with_a_way_out) {
  Trace trace;
  EXPECT_THAT(import_text("\xfd\x37zXZ", trace).error().message, HasSubstr("xz -dc"));
}

TEST(Dialects, format_overrides_and_must_be_known) {
  Trace trace;
  EXPECT_FALSE(import_text(kNative, trace, {.format = "strace"}));
  const auto report = import_text(kNative, trace, {.format = "procmon"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::usage);
  EXPECT_THAT(report.error().message, HasSubstr("seekless, strace"));
}

TEST(Import, counts_what_it_hands_on) {
  Trace trace;
  const auto report = import_text(kNative, trace);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->events, 3U);
  EXPECT_EQ(report->read_bytes, 21U);
  EXPECT_EQ(report->paths, 3U) << "a path without an event isn't handed on";
  EXPECT_EQ(report->lines, 8U);
  EXPECT_THAT(trace.paths, ElementsAre("/g/a", "/g/b", "/G/a"));
}

TEST(Import, only_keeps_paths_that_match_after_they_are_rewritten) {
  Trace trace;
  ImportOptions options;
  options.path_maps = {*PathMap::parse("/g=/content")};
  options.only = {"/content/*"};
  const auto report = import_text(kNative, trace, options);
  ASSERT_TRUE(report);
  EXPECT_THAT(trace.paths, ElementsAre("/content/a", "/content/b"));
  EXPECT_EQ(report->reads, 2U);
  EXPECT_EQ(report->left_out_reads, 1U);
  EXPECT_EQ(trace.events[1].path, 1U);
}

TEST(Import, paths_that_become_the_same_are_one) {
  Trace trace;
  ImportOptions options;
  options.path_maps = {*PathMap::parse("/g=/c"), *PathMap::parse("/G=/c")};
  ASSERT_TRUE(import_text(kNative, trace, options));
  EXPECT_THAT(trace.paths, ElementsAre("/c/a", "/c/b"));
  EXPECT_EQ(trace.events[2].path, 0U);
}

TEST(Import, scenario_is_the_option_else_the_traces_own_else_the_default) {
  Trace trace;
  EXPECT_EQ(import_text(kNative, trace, {.default_scenario = "file"})->scenario, "own");
  EXPECT_EQ(
      import_text(kNative, trace, {.scenario = "asked", .default_scenario = "file"})->scenario,
      "asked");
  EXPECT_EQ(trace.header.scenario, "asked");
  EXPECT_EQ(
      import_text("{\"seekless\":\"trace\",\"version\":1}\n", trace, {.default_scenario = "file"})
          ->scenario,
      "file");
}

TEST(TraceNames, scenario_is_the_stem_without_endings_and_run) {
  EXPECT_EQ(scenario_of_file("rec/map+cam_1a.2.strace"), "map+cam_1a");
  EXPECT_EQ(scenario_of_file("menu.jsonl.lz4"), "menu");
  EXPECT_EQ(scenario_of_file("menu.10.jsonl.lz4"), "menu");
  EXPECT_EQ(scenario_of_file("menu.2.trace"), "menu");
  EXPECT_EQ(scenario_of_file("a.strace.gz"), "a");
  EXPECT_EQ(scenario_of_file("v1.2b"), "v1.2b");
  EXPECT_EQ(scenario_of_file(".strace"), ".strace");
  EXPECT_EQ(scenario_of_file("a."), "a.");
  EXPECT_EQ(scenario_of_file("-"), "trace");
  EXPECT_EQ(trace_stem("rec/map.2.strace"), "map.2");
}

TEST(Lines, are_cut_at_newlines_whatever_the_stream_gives) {
  MemoryStream stream("s", "a\r\n\nb");
  LineReader lines(stream);
  Line line;
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.text, "a");
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.text, "");
  EXPECT_TRUE(line.is_ended);
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.text, "b");
  EXPECT_EQ(line.number, 3U);
  EXPECT_FALSE(line.is_ended);
  EXPECT_FALSE(*lines.next(line));
}

TEST(Lines, longer_than_the_limit_are_cut_and_the_rest_passed_over) {
  constexpr size_t kLimit = size_t{1} << 20;
  for (const size_t length : {kLimit - 1, kLimit, kLimit + 1, 3 * kLimit}) {
    MemoryStream stream("s", std::string(length, 'x') + "\nnext\n");
    LineReader lines(stream, kLimit);
    Line line;
    ASSERT_TRUE(*lines.next(line));
    EXPECT_EQ(line.is_cut, length > kLimit) << length;
    EXPECT_EQ(line.text.size(), length > kLimit ? 1024 : length);
    EXPECT_EQ(line.text.find_first_not_of('x'), std::string::npos);
    ASSERT_TRUE(*lines.next(line));
    EXPECT_EQ(line.text, "next");
    EXPECT_FALSE(line.is_cut);
    EXPECT_FALSE(*lines.next(line));
  }
}

}  // namespace
}  // namespace seekless
