#include "packer/base/glob.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(Glob, star_stays_within_a_component) {
  EXPECT_TRUE(matches_glob("maps/*.wrf", "maps/a.wrf"));
  EXPECT_FALSE(matches_glob("maps/*.wrf", "maps/b/a.wrf"));
}

TEST(Glob, double_star_crosses_components_and_may_match_none) {
  EXPECT_TRUE(matches_glob("maps/**", "maps/b/a.wrf"));
  EXPECT_TRUE(matches_glob("**/a.wrf", "maps/b/a.wrf"));
  EXPECT_TRUE(matches_glob("**/a.wrf", "a.wrf"));
  EXPECT_FALSE(matches_glob("**/a.wrf", "xa.wrf"));
  EXPECT_TRUE(matches_glob("/usr/share/games/**", "/usr/share/games/x/base.wz"));
}

TEST(Glob, pattern_without_slash_is_for_the_last_component) {
  EXPECT_TRUE(matches_glob("*.dds", "a/b/c.dds"));
  EXPECT_FALSE(matches_glob("*.dds", "a.dds/c"));
}

TEST(Glob, with_a_drive_takes_paths_as_windows_does) {
  EXPECT_TRUE(matches_glob(R"(C:\Games\Quest\**)", "C:/Games/Quest/data/base.pk3"));
  EXPECT_TRUE(matches_glob(R"(C:\Games\Quest\**)", R"(c:\games\QUEST\data\base.pk3)"));
  EXPECT_TRUE(matches_glob("C:/Games/*/[A-Q]*.pk3", R"(C:\games\quest\BASE.pk3)"));
  EXPECT_TRUE(matches_glob(R"(\\server\share\**)", "//server/share/a"));
  EXPECT_FALSE(matches_glob(R"(C:\Games\*)", R"(C:\Games\Quest\a)"));
  EXPECT_FALSE(matches_glob(R"(C:\Games\**)", "D:/Games/a"));
  EXPECT_FALSE(matches_glob(R"(C:\Games\**)", "C:/Gamesa"));
}

TEST(Glob, sets_and_escapes) {
  EXPECT_TRUE(matches_glob("[a-c]?.txt", "bz.txt"));
  EXPECT_FALSE(matches_glob("[!a-c]?.txt", "bz.txt"));
  EXPECT_TRUE(matches_glob("\\*.txt", "*.txt"));
  EXPECT_FALSE(matches_glob("\\*.txt", "a.txt"));
  EXPECT_TRUE(matches_glob("[", "["));
  EXPECT_TRUE(matches_glob("[]]", "]"));
}

TEST(Glob, with_a_drive_takes_letters_beyond_ascii_in_either_case) {
  EXPECT_TRUE(matches_glob(R"(C:\Spiele\über\**)", R"(C:\Spiele\Über\a.pak)"));
  EXPECT_TRUE(matches_glob(R"(C:\ИГРЫ\Łódź\**)", R"(c:\Игры\łÓDŹ\ÿ)"));
  EXPECT_FALSE(matches_glob("/spiele/über/**", "/spiele/Über/a.pak"));
  EXPECT_FALSE(matches_glob(R"(C:\über\**)", R"(C:\uber\a)"));
}

TEST(Glob, brackets_match_themselves_too) {
  EXPECT_TRUE(matches_glob("/g/Quest [GOTY]/**", "/g/Quest [GOTY]/data"));
  EXPECT_TRUE(matches_glob("/g/Quest [GOTY]/**", "/g/Quest G/data"));
  EXPECT_FALSE(matches_glob("/g/Quest [GOTY]/**", "/g/Quest GOTY/data"));
  EXPECT_TRUE(matches_glob(R"(C:\Games\Quest [GOTY]\**)", R"(C:\games\quest [goty]\data)"));
  EXPECT_TRUE(matches_glob("/g/Quest [GOTY]/t[0-9].pak", "/g/Quest [GOTY]/t7.pak"));
  EXPECT_TRUE(matches_glob("[!A] [b*]", "[!A] [b*]"));
  EXPECT_FALSE(matches_glob("[ab]", "[ab"));
}

TEST(Glob, takes_polynomial_time_on_hostile_patterns) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "**/*a";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(matches_glob(pattern, std::string(400, 'a') + "/b"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(Glob, any_folders_may_be_none_however_often_they_are_said) {
  EXPECT_TRUE(matches_glob("**/**/a", "a"));
  EXPECT_TRUE(matches_glob("**/**/a", "x/a"));
  EXPECT_TRUE(matches_glob("**/x/**/a", "x/y/a"));
  EXPECT_FALSE(matches_glob("**/**/a", "xa"));
  EXPECT_FALSE(matches_glob("x/**/a", "x/ya"));
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "**/";
  EXPECT_TRUE(matches_glob(deep + "a", "a"));
  EXPECT_FALSE(matches_glob(deep + "a", "b"));
}

TEST(Glob, covers_a_folder_if_it_matches_all_that_lies_in_it) {
  for (const char* pattern : {"**", "a/**", "a/back/**", "**/back/**", "a/b**", "*/back/**"})
    EXPECT_TRUE(any_glob_covers_folder({"x", pattern}, "a/back")) << pattern;
  for (const char* pattern :
       {"a/back", "a/back/*", "back", "*", "a/**/b", "back/**", "a/back/\\**", "a/back/b**"})
    EXPECT_FALSE(any_glob_covers_folder({"x", pattern}, "a/back")) << pattern;
}

TEST(Glob, names_a_folder_by_its_path_or_by_what_lies_in_it) {
  for (const char* pattern : {"back", "a/back", "a/back/**", "a/back/*", "a/**", "**/back/**"})
    EXPECT_TRUE(any_glob_names_folder({"x", pattern}, "a/back")) << pattern;
  for (const char* pattern : {"ack", "a", "a/back/b", "*.dds", "back/**"})
    EXPECT_FALSE(any_glob_names_folder({"x", pattern}, "a/back")) << pattern;
}

}  // namespace
}  // namespace seekless
