#include "packer/serve/disc_set.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using Names = std::vector<std::string>;

TEST(DiscSet, of_a_cue_is_its_files) {
  EXPECT_EQ(
      files_of_sheet("/discs/Game (Europe).CUE",
                     "FILE \"Game (Track 1).bin\" BINARY\r\n  TRACK 01 MODE2/2352\r\n"
                     "    INDEX 01 00:00:00\r\nfile two.bin BINARY\nFILE with blanks.wav WAVE\n"
                     "FILE two.bin BINARY"),
      (Names{"Game (Track 1).bin", "two.bin", "with blanks.wav"}));
}

TEST(DiscSet, of_a_gdi_is_its_tracks) {
  EXPECT_EQ(
      files_of_sheet("a.gdi", "3\n1 0 4 2352 track01.bin 0\n2 450 0 2352 \"track 02.raw\" 0\n"),
      (Names{"track01.bin", "track 02.raw"}));
}

TEST(DiscSet, of_a_list_is_its_lines) {
  EXPECT_EQ(files_of_sheet("a.m3u", "#EXTM3U\n disc 1.chd \r\n\n/other/disc2.chd"),
            (Names{"disc 1.chd", "/other/disc2.chd"}));
}

TEST(DiscSet, has_the_namesakes_of_sheets_that_name_nothing) {
  EXPECT_EQ(files_of_sheet("/a.b/c.ccd", ""), (Names{"c.img", "c.sub"}));
  EXPECT_EQ(files_of_sheet("c.mds", "binary"), (Names{"c.mdf"}));
}

TEST(DiscSet, of_other_files_and_of_what_is_no_sheet_is_empty) {
  EXPECT_TRUE(files_of_sheet("a.iso", "FILE x BINARY").empty());
  EXPECT_TRUE(files_of_sheet("a.cue", std::string("FILE\0\"", 6)).empty());
  EXPECT_TRUE(files_of_sheet("a.cue", "FILE \"\nFILE").empty());
  EXPECT_TRUE(files_of_sheet("a.gdi", "1 2 3").empty());
  EXPECT_TRUE(files_of_sheet("", "").empty());
}

TEST(DiscSet, follows_lists_to_sheets_and_leaves_out_what_is_missing) {
  const TestFolder folder;
  const std::string list = folder.write("all.m3u", "one.cue\ntwo.chd\nmissing.chd\nall.m3u\n");
  folder.write("one.cue", "FILE one.bin BINARY");
  folder.write("one.bin", "data");
  const std::string other = folder.write("two.chd", "data");
  const std::string at = canonical_path(folder.path()) + "/";
  EXPECT_EQ(disc_set(list),
            (Names{at + "all.m3u", at + "one.cue", at + "one.bin", at + "two.chd"}));
  EXPECT_EQ(disc_set(other), Names{at + "two.chd"});
}

// Windows programs write such sheets.
TEST(DiscSet, ignores_a_byte_order_mark) {
  const TestFolder folder;
  const std::string sheet = folder.write("one.cue",
                                         "\xEF\xBB\xBF"
                                         "FILE \"one.bin\" BINARY\n");
  folder.write("one.bin", "data");
  const std::string at = canonical_path(folder.path()) + "/";
  EXPECT_EQ(disc_set(sheet), (Names{at + "one.cue", at + "one.bin"}));
}

TEST(DiscSet, takes_the_place_of_its_file_among_other_paths) {
  const TestFolder folder;
  const std::string sheet = folder.write("one.cue", "FILE one.bin BINARY");
  folder.write("one.bin", "data");
  const std::string at = canonical_path(folder.path()) + "/";
  EXPECT_EQ(with_disc_sets({at, sheet, at + "missing"}),
            (Names{at, at + "one.cue", at + "one.bin", at + "missing"}));
}

TEST(DiscSet, ends_with_its_largest_size) {
  const TestFolder folder;
  std::string list;
  for (size_t i = 0; i < 2 * kMostDiscFiles; ++i) {
    const std::string name = std::to_string(i) + ".bin";
    folder.write(name, "data");
    list += name + "\n";
  }
  EXPECT_EQ(disc_set(folder.write("all.m3u", list)).size(), kMostDiscFiles);
}

}  // namespace
}  // namespace seekless
