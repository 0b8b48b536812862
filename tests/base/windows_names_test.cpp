#include "packer/base/windows_names.h"

#include <gtest/gtest.h>

#include "packer/base/windows_words.h"

namespace seekless {
namespace {

TEST(WindowsNames, of_files_on_windows_have_no_fault) {
  for (const char* path : {"a", "maps/rush/game.map", "con1/comrade", "console.txt", "com10", "com",
                           "lpt0", ".hidden", "a b", "Zürich.map", "a.b.c", "auxiliary/nulls"})
    EXPECT_EQ(windows_name_fault(path), "") << path;
}

TEST(WindowsNames, of_devices_are_refused_in_any_case_and_with_any_ending) {
  for (const char* path :
       {"con", "CON", "a/Aux.txt/b", "nul.tar.gz", "com1", "LPT9.log", "prn ", "nul .txt"})
    EXPECT_NE(windows_name_fault(path), "") << path;
}

TEST(WindowsNames, that_windows_changes_or_refuses_are_told_of) {
  for (const char* path :
       {"a./b", "a /b", "a:b", "what?", "a*", "<a>", "a|b", "a\\b", "a\"b", "a\tb"})
    EXPECT_NE(windows_name_fault(path), "") << path;
  EXPECT_EQ(windows_name_fault("maps/aux.txt"), "'aux.txt', which names a device");
}

TEST(WindowsNames, have_one_spelling_of_as_many_bytes) {
  EXPECT_EQ(one_windows_spelling("C:\\Spiele\\ÜBER/Ÿ/ŁÓDŹ"), "c:/spiele/über/ÿ/łódź");
  EXPECT_EQ(one_windows_spelling("ΆΈΌΎΑΣΫ ЀЯѠҊӀӁӐ ԱՖ ẀẠ Ａ"), "άέόύασϋ ѐяѡҋӏӂӑ աֆ ẁạ ａ");
  EXPECT_EQ(one_windows_spelling("ƠƯ ἈὙὝ ႠჅ Ⅷ Ⓑ Ⰰ Ⲁ Ꙁ"), "ơư ἀὑὕ ⴀⴥ ⅷ ⓑ ⰰ ⲁ ꙁ");
  EXPECT_EQ(one_windows_spelling("×÷ßı漢😀"), "×÷ßı漢😀");
  // Bytes that aren't UTF-8 stay unchanged.
  EXPECT_EQ(one_windows_spelling("\xdc"
                                 "A\xc3"),
            "\xdc"
            "a\xc3");
  EXPECT_EQ(one_windows_spelling("\xef\xbc"), "\xef\xbc");
}

TEST(WindowsWords, quotation_marks_that_a_backslash_swallowed_are_found) {
  EXPECT_EQ(path_before_swallowed_quote("C:\\Dir\" --in-place"), "C:\\Dir");
  EXPECT_EQ(path_before_swallowed_quote("..\\Dir\""), "..\\Dir");
  EXPECT_EQ(path_before_swallowed_quote("\\\\server\\share\""), "\\\\server\\share");
  for (const char* word : {"C:\\Dir", "say \"hello\"", "\"C:\\Dir\"", "", "\""})
    EXPECT_EQ(path_before_swallowed_quote(word), "") << word;
}

TEST(WindowsWords, with_slashes_keep_all_else) {
  EXPECT_EQ(with_slashes("D:\\Games\\Quest [GOTY]/x"), "D:/Games/Quest [GOTY]/x");
}

TEST(WindowsWords, are_left_as_they_were_typed) {
  const std::string line =
      R"("C:\a b\seekless.exe" play "C:\Dir" --  Game.exe -name="John Smith"  \"x)";
  EXPECT_EQ(text_after_words(line, 0), line);
  EXPECT_EQ(text_after_words(line, 1), R"( play "C:\Dir" --  Game.exe -name="John Smith"  \"x)");
  EXPECT_EQ(text_after_words(line, 5), R"( -name="John Smith"  \"x)");
  EXPECT_EQ(text_after_words(line, 6), R"(  \"x)");
  EXPECT_EQ(text_after_words(line, 7), "");
  EXPECT_EQ(text_after_words(line, 8), "");
}

TEST(WindowsWords, that_mean_something_to_cmd_are_found_outside_of_quotation_marks) {
  EXPECT_FALSE(means_something_to_cmd(R"(-x="a&b" c)"));
  EXPECT_TRUE(means_something_to_cmd(R"(-x="a" & b)"));
  EXPECT_TRUE(means_something_to_cmd("a^&b"));
  EXPECT_FALSE(means_something_to_cmd(""));
}

TEST(WindowsWords, are_quoted_where_they_would_be_taken_apart) {
  EXPECT_EQ(as_one_word("-window", false), "-window");
  EXPECT_EQ(as_one_word("", false), R"("")");
  EXPECT_EQ(as_one_word("a b", false), R"("a b")");
  EXPECT_EQ(as_one_word(R"(a "b\)", false), R"("a \"b\\")");
  EXPECT_EQ(as_one_word("a&b", false), "a&b");
  EXPECT_EQ(as_one_word("a&b", true), R"("a&b")");
}

}  // namespace
}  // namespace seekless
