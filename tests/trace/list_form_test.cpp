// Tests lists that hold more on each line than a path, through the dialect that reads them.
#include "packer/trace/internal/list_form.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/imported.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Names = std::set<std::string, std::less<>>;

Parsed parse_list_of(const std::string& text, const Names& content = {}) {
  Parsed parsed;
  ImportOptions options;
  if (!content.empty())
    options.is_known = [&](std::string_view path) { return content.contains(path); };
  auto report = import_text(text, parsed.trace, options);
  EXPECT_TRUE(report) << (report ? "" : report.error().message) << "\n" << text;
  if (report) parsed.report = *report;
  EXPECT_EQ(parsed.report.dialect, "list") << text;
  return parsed;
}

struct Annotated {
  std::string text;
  std::string what;  // the warning's text
};

class AnnotatedList : public testing::TestWithParam<Annotated> {};

TEST_P(AnnotatedList, gives_its_paths_and_says_what_it_takes_away) {
  const Parsed parsed = parse_list_of(GetParam().text);
  EXPECT_THAT(parsed.trace.paths, ElementsAre("data/b 1.pak", "data/a.pak", "data/c.pak"));
  EXPECT_THAT(parsed.report.warnings, ElementsAre(HasSubstr(GetParam().what)));
  EXPECT_EQ(parsed.report.unparsed_lines, 0U);
}

const std::string kSum = "d41d8cd98f00b204e9800998ecf8427e";
INSTANTIATE_TEST_SUITE_P(
    Trace, AnnotatedList,
    testing::Values(
        Annotated{"data/b 1.pak 32767\ndata/a.pak 32766\ndata/c.pak -5\n", "a number behind it"},
        Annotated{"data/b 1.pak 1\ndata/a.pak 2\ndata/c.pak 3", "a number behind it"},
        Annotated{"data/b 1.pak,655360\ndata/a.pak,0\ndata/c.pak,1\n", "a number behind it"},
        Annotated{"data/b 1.pak\t655360\ndata/a.pak\t0\ndata/c.pak\t1\n", "a number behind it"},
        Annotated{"data/b 1.pak:300\ndata/a.pak:0\ndata/c.pak:1\n", "a number behind it"},
        Annotated{"data/b 1.pak 0x3000\ndata/a.pak 0x0\ndata/c.pak 0xff\n", "a number behind it"},
        Annotated{"data/b 1.pak 0.01s\ndata/a.pak 12.50s\ndata/c.pak 0.00s\n",
                  "a number behind it"},
        Annotated{"data/b 1.pak (123 bytes)\ndata/a.pak (1 byte)\ndata/c.pak (0 bytes)\n",
                  "a number behind it"},
        Annotated{"data/b 1.pak 3000 4096\ndata/a.pak 0 1\ndata/c.pak 7 7\n", "numbers behind it"},
        Annotated{"data/b 1.pak:3000:4096\ndata/a.pak:0:1\ndata/c.pak:7:7\n", "numbers behind it"},
        Annotated{"data/b 1.pak -> /x/b\ndata/a.pak -> /x/a\ndata/c.pak -> c 1\n",
                  "what it leads to"},
        Annotated{"4.0K\tdata/b 1.pak\n16M\tdata/a.pak\n0\tdata/c.pak\n", "a number before it"},
        Annotated{"655360 data/b 1.pak\n16384 data/a.pak\n1 data/c.pak\n", "a number before it"},
        Annotated{"  12 data/b 1.pak\n   3 data/a.pak\n 100 data/c.pak\n", "a number before it"},
        Annotated{kSum + "  data/b 1.pak\n" + kSum + " *data/a.pak\n" + kSum + "  data/c.pak\n",
                  "a checksum"},
        Annotated{"MD5 (data/b 1.pak) = " + kSum + "\nMD5 (data/a.pak) = " + kSum +
                      "\nMD5 (data/c.pak) = " + kSum + "\n",
                  "a checksum"},
        Annotated{"data/b 1.pak 0A1B2C3D\ndata/a.pak 12345678\ndata/c.pak deadbeef\n",
                  "a checksum"},
        Annotated{"total 12\n-rw-r--r-- 1 user group 655360 Nov 28 10:20 data/b 1.pak\n"
                  "drwxr-xr-x 2 user group   4096 Nov 28 10:20 data\n"
                  "-rw-r--r--. 1 user group     12 Nov 28  2024 data/a.pak\n"
                  "-rwxr-xr-x 1 user group   4.0K Nov  8 10:20 data/c.pak\n",
                  "a listing"},
        Annotated{"-rw-r--r-- 1 user group 655360 2026-11-28 10:20 data/b 1.pak\n"
                  "-rw-r--r-- 1 user group     12 2026-11-28 10:20 data/a.pak\n"
                  "-rw-r--r-- 1 user group     12 2026-11-28 10:20 data/c.pak\n",
                  "a listing"},
        Annotated{"  1234567    640 -rw-r--r--   1 user  group  655360 Nov 28 10:20 data/b 1.pak\n"
                  "  1234568      4 drwxr-xr-x   1 user  group  655360 Nov 28 10:20 data\n"
                  "  1234569      4 -rw-r--r--   1 user  group       1 Nov 28 10:20 data/a.pak\n"
                  "  1234569      4 -rw-r--r--   1 user  group       1 Nov 28 10:20 data/c.pak\n",
                  "a listing"},
        Annotated{"Archive:  base.zip\n  Length      Date    Time    Name\n"
                  "---------  ---------- -----   ----\n"
                  "   655360  2026-11-28 10:20   data/b 1.pak\n"
                  "        1  2026-11-28 10:20   data/a.pak\n"
                  "        1  2026-11-28 10:20   data/c.pak\n"
                  "---------                     -------\n   655362                     3 files\n",
                  "a listing"},
        Annotated{"data/b 1.pak loaded\ndata/a.pak loaded\ndata/c.pak loaded\n",
                  "a word behind it"}));

TEST(ListForm, what_stands_before_a_root_is_no_part_of_a_name) {
  for (const char* front : {"7 ", "OPEN ", "open: ", "12:34:56.789 ", "1700000000.25 ",
                            "2026-11-28 12:34:56 ", "2026-11-28T12:34:56Z ", "[  0.123] "}) {
    std::string text;
    for (const char* path : {"/g/b c.pak", "/g/a.pak", "/g/d.pak"})
      text += std::string(front) + path + "\n";
    EXPECT_THAT(parse_list_of(text).trace.paths, ElementsAre("/g/b c.pak", "/g/a.pak", "/g/d.pak"))
        << front;
  }
}

TEST(ListForm, names_keep_their_spaces_and_numbers) {
  for (const char* text :
       {"01 Intro.ogg\n02 Verse.ogg\n03 End.ogg\n", "maps/Level 1\nmaps/Level 2\nmaps/Level 3\n",
        "maps/track 01\nmaps/track 02\nmaps/track 03\n", "1 Forest/a.pak\n2 Cave/b.pak\n",
        "Quest Pack/a.pak\nQuest Pack/b.pak\nQuest Pack/c.pak\n",
        "DATA FILES/a.pak\nDATA FILES/b\n",
        "a.pak\nb.pak\nREADME\nc.pak\nd.pak\ne.pak\nf.pak\ng.pak\nh.pak\ni.pak\n"}) {
    const Parsed parsed = parse_list_of(text);
    std::string paths;
    for (const std::string& path : parsed.trace.paths) paths += path + "\n";
    EXPECT_EQ(paths, text);
  }
}

TEST(ListForm, what_may_be_no_part_of_a_name_is_told) {
  EXPECT_THAT(parse_list_of("01 Intro.ogg\n02 Verse.ogg\n03 End.ogg\n").report.warnings,
              ElementsAre(HasSubstr("each line begins with a number")));
  EXPECT_THAT(parse_list_of("Loading a/b.pak\nLoading b/c.pak\nLoading c/d.pak\n").report.warnings,
              ElementsAre(HasSubstr("the same word")));
  EXPECT_THAT(parse_list_of("/g/a 1.pak\n/g/b.pak\n").report.warnings, IsEmpty());
}

TEST(ListForm, names_of_the_content_win) {
  const Names numbered = {"a.pak 1", "a.pak 2", "a.pak 3"};
  const Parsed kept = parse_list_of("a.pak 1\na.pak 2\na.pak 3\n", numbered);
  EXPECT_THAT(kept.trace.paths, ElementsAre("a.pak 1", "a.pak 2", "a.pak 3"));
  EXPECT_THAT(kept.report.warnings, IsEmpty());
  const Names plain = {"Intro.ogg", "Verse.ogg"};
  EXPECT_THAT(parse_list_of("01 Intro.ogg\n02 Verse.ogg\n", plain).trace.paths,
              ElementsAre("Intro.ogg", "Verse.ogg"));
  const Names mixed = {"a.pak", "b.pak", "c.pak 7"};
  EXPECT_THAT(parse_list_of("a.pak 1\nb.pak 2\nc.pak 7\n", mixed).trace.paths,
              ElementsAre("a.pak", "b.pak", "c.pak 7"));
}

TEST(ListForm, names_are_looked_up_as_they_are_mapped) {
  Trace trace;
  ImportOptions options;
  options.path_maps = {*PathMap::parse("/old=/new")};
  options.is_known = [](std::string_view path) { return path == "/new/a.pak 1"; };
  ASSERT_TRUE(import_text("/old/a.pak 1\n", trace, options));
  EXPECT_THAT(trace.paths, ElementsAre("/new/a.pak 1"));
}

TEST(ListForm, lines_are_taken_as_they_are_where_that_was_asked_for) {
  Trace trace;
  ASSERT_TRUE(import_text("a.pak 1\nb.pak 2\n", trace, {.format = "list"}));
  EXPECT_THAT(trace.paths, ElementsAre("a.pak 1", "b.pak 2"));
}

TEST(ListForm, backslashes_separate_names_in_lists_of_windows) {
  EXPECT_THAT(parse_list_of("data\\a.bin\r\n.\\data\\b c.bin\r\nreadme.txt\r\n").trace.paths,
              ElementsAre("data/a.bin", "./data/b c.bin", "readme.txt"));
  EXPECT_THAT(parse_list_of("maps/a.pak\ndata\\b.bin\nC:\\g\\a.bin\n").trace.paths,
              ElementsAre("maps/a.pak", "data/b.bin", "C:\\g\\a.bin"));
  EXPECT_THAT(parse_list_of("data\\a.bin 300\ndata\\b.bin 7\n").trace.paths,
              ElementsAre("data/a.bin", "data/b.bin"));
  const Names content = {"data/a 1.bin", "data/a 2.bin"};
  EXPECT_THAT(parse_list_of("data\\a 1.bin\ndata\\a 2.bin\n", content).trace.paths,
              ElementsAre("data/a 1.bin", "data/a 2.bin"));
  Trace trace;
  ASSERT_TRUE(import_text("data\\a\n", trace, {.format = "list"}));
  EXPECT_THAT(trace.paths, ElementsAre("data/a"));
}

TEST(ListForm, names_of_unix_keep_their_backslashes) {
  for (const char* name : {"a\\b.bin", "data/a\\ b.bin"}) {
    EXPECT_THAT(parse_list_of(std::string(name) + "\n/g/b.bin\n").trace.paths,
                ElementsAre(name, "/g/b.bin"));
    EXPECT_THAT(parse_list_of(std::string(name) + "\n", {name}).trace.paths, ElementsAre(name));
  }
  EXPECT_THAT(parse_list_of("data/a\\ b.bin\n").trace.paths, ElementsAre("data/a\\ b.bin"));
}

TEST(ListForm, long_hostile_lines_take_no_time) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "a/" + std::string(8000, i % 2 == 0 ? ' ' : '1') + "x\n";
  Trace trace;
  (void)import_leniently(text, trace);
  (void)import_text(text, trace, {.format = "list"});
}

}  // namespace
}  // namespace seekless
