#include "packer/words/plain_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

const std::string kReplaced = "\xef\xbf\xbd";

TEST(PlainText, replaces_what_is_not_utf8) {
  EXPECT_EQ(valid_utf8("a\xff"), "a" + kReplaced);
  EXPECT_EQ(valid_utf8("\xc3"), kReplaced);                                  // cut short
  EXPECT_EQ(valid_utf8("\xc0\x80"), kReplaced + kReplaced);                  // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), kReplaced + kReplaced + kReplaced);  // surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80").size(), 12U);                     // beyond U+10FFFF
  EXPECT_EQ(valid_utf8("gr\xc3\xbc\xc3\x9f \xf0\x9f\x8e\xae\n"),
            "gr\xc3\xbc\xc3\x9f \xf0\x9f\x8e\xae\n");
}

TEST(PlainText, shows_control_characters) {
  EXPECT_EQ(clean_line("a\x1b[2Jb\n\t\x7f"), "a\\x1b[2Jb\\x0a\\x09\\x7f");
  EXPECT_EQ(clean_line(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(clean_line("\xc2\x9b"), kReplaced);      // C1
  EXPECT_EQ(clean_line("\xe2\x80\xae"), kReplaced);  // right-to-left override
}

TEST(PlainText, prints_byte_for_byte_what_it_does_not_show) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\t\x7f"), "a\\x1b[2Jb\n\\x09\\x7f");
  EXPECT_EQ(printable("caf\xe9 gr\xc3\xbc\xc3\x9f"), "caf\\xe9 gr\xc3\xbc\xc3\x9f");
  for (const char* turn : {"\xe2\x80\xae", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x81\xa6",
                           "\xe2\x80\x8f", "\xd8\x9c", "\xc2\x9b"}) {
    EXPECT_EQ(printable(turn).substr(0, 2), "\\x") << printable(turn);
    EXPECT_EQ(printable(turn).size(), 4 * std::string_view(turn).size());
    EXPECT_EQ(clean_line(turn), kReplaced);
  }
}

TEST(PlainText, counts_columns_not_bytes) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("\xc3\xbc"), 1U);
  EXPECT_EQ(columns_of("u\xcc\x88"), 1U);                 // u and combining diaeresis
  EXPECT_EQ(columns_of("\xe5\xb7\xa5\xe5\x9c\xba"), 4U);  // two Chinese characters
}

TEST(PlainText, cuts_the_middle_of_long_names) {
  EXPECT_EQ(cut_middle("map/lakeville", 13), "map/lakeville");
  EXPECT_EQ(cut_middle("map/lakeville", 7), "map\xe2\x80\xa6lle");
  EXPECT_EQ(cut_middle("map/lakeville", 1), "\xe2\x80\xa6");
}

TEST(PlainText, cuts_wide_characters_whole) {
  const std::string wide = "\xe5\xb7\xa5\xe5\x9c\xba\xe5\xb7\xa5\xe5\x9c\xba";
  for (size_t columns = 1; columns <= 8; ++columns) {
    const std::string cut = cut_middle(wide, columns);
    EXPECT_EQ(cut, valid_utf8(cut)) << columns;
    EXPECT_LE(columns_of(cut), columns);
  }
}

TEST(PlainText, pads_by_columns) {
  EXPECT_EQ(pad_right("\xc3\xbc", 3), "\xc3\xbc  ");
  EXPECT_EQ(pad_left("\xe5\xb7\xa5", 3), " \xe5\xb7\xa5");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(PlainText, wraps_at_spaces_and_within_long_words) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("a bbbbbbb c", 3), ElementsAre("a", "bbb", "bbb", "b c"));
  EXPECT_THAT(wrap("  a   b ", 80), ElementsAre("a b"));
  EXPECT_THAT(wrap("", 80), ElementsAre());
}

TEST(PlainText, keeps_numbers_with_their_units) {
  EXPECT_THAT(wrap("padding 8.36 % of it", 13), ElementsAre("padding", "8.36 % of it"));
  EXPECT_THAT(wrap("reads 12 MB, then", 9), ElementsAre("reads", "12 MB,", "then"));
}

TEST(PlainText, cut_names_differ_where_the_names_do) {
  const std::vector<std::string> names = {
      "a-long-begin-NORTH-and-a-long-end", "a-long-begin-SOUTH-and-a-long-end",
      "a-long-begin-SOUTHEAST-and-a-long-end", "short", "a-long-begin-NORTH-and-a-long-end"};
  const std::vector<std::string> cut = cut_names(names, 20);
  for (const std::string& name : cut) EXPECT_LE(columns_of(name), 20U) << name;
  EXPECT_EQ(cut[3], "short");
  EXPECT_EQ(cut[0], cut[4]);
  EXPECT_NE(cut[0], cut[1]);
  EXPECT_NE(cut[1], cut[2]);
  EXPECT_NE(cut[0], cut[2]);
  EXPECT_THAT(cut_names({"x"}, 5), ElementsAre("x"));
  EXPECT_THAT(cut_names({}, 5), ElementsAre());
}

TEST(PlainText, cells_of_names_are_all_as_wide) {
  EXPECT_THAT(name_cells({"a", "bc"}, 20), ElementsAre("a       ", "bc      "));
}

TEST(PlainText, fits_sentences_and_leaves_rows_and_paths_whole) {
  EXPECT_EQ(fit_lines("one two three\n", 8), "one two\nthree\n");
  EXPECT_EQ(fit_lines("  one two three", 10), "  one two\n  three");
  EXPECT_EQ(fit_lines("name      12  13\n", 8), "name      12  13\n");
  EXPECT_EQ(fit_lines("see /a/long/path there\n", 8), "see\n/a/long/path\nthere\n");
  EXPECT_EQ(fit_lines("\n\nfits\n", 8), "\n\nfits\n");
}

TEST(PlainText, escapes_html) {
  EXPECT_EQ(escape_html("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_html("\x01\xff"), "\\x01" + kReplaced);
}

}  // namespace
}  // namespace seekless
