#include "packer/trace/path_map.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

std::string mapped(const char* rule, const char* path) {
  const auto map = PathMap::parse(rule);
  EXPECT_TRUE(map) << rule;
  return map ? map->apply(path).value_or("(no match)") : "(bad rule)";
}

TEST(PathMap, replaces_whole_components_only) {
  EXPECT_EQ(mapped("/g=/content", "/g/a.pak"), "/content/a.pak");
  EXPECT_EQ(mapped("/g=/content", "/g"), "/content");
  EXPECT_EQ(mapped("/g=/content", "/game/a.pak"), "(no match)");
  EXPECT_EQ(mapped("/g=/content", "/G/a.pak"), "(no match)");
  EXPECT_EQ(mapped("/g=/content", "/x/g/a.pak"), "(no match)");
}

TEST(PathMap, ignores_a_slash_at_the_end_of_a_rule) {
  EXPECT_EQ(mapped("/g/=/content/", "/g/a.pak"), "/content/a.pak");
  EXPECT_EQ(mapped("/=/mnt", "/g/a.pak"), "/mnt/g/a.pak");
  EXPECT_EQ(mapped("/g=/", "/g/a.pak"), "/a.pak");
}

TEST(PathMap, empty_target_makes_paths_relative) {
  EXPECT_EQ(mapped("/g=", "/g/data/a.pak"), "data/a.pak");
}

TEST(PathMap, windows_paths_match_either_case_and_slash) {
  EXPECT_EQ(mapped("C:\\Games\\WoT=/content/wot", "c:/games/WOT/res\\Packages\\a.pkg"),
            "/content/wot/res/Packages/a.pkg");
  EXPECT_EQ(mapped("c:/games/=/content", "C:\\Games\\a.pkg"), "/content/a.pkg");
  EXPECT_EQ(mapped("C:\\Games=/content", "C:\\Games2\\a.pkg"), "(no match)");
  EXPECT_EQ(mapped("C:=/c", "C:\\a"), "/c/a");
  EXPECT_EQ(mapped("\\\\server\\share=/share", "\\\\SERVER\\share\\a"), "/share/a");
  EXPECT_EQ(mapped("C:\\a=D:\\b\\", "C:\\a\\x/y"), "D:\\b\\x\\y");
  EXPECT_EQ(mapped("C:\\Spiele\\über=/content", "c:\\spiele\\Über\\Ä"), "/content/Ä");
}

TEST(PathMap, backslash_is_an_ordinary_byte_in_other_paths) {
  EXPECT_EQ(mapped("/g=/content", "/g/a\\b"), "/content/a\\b");
  EXPECT_EQ(mapped("/g=/content", "/g\\a"), "(no match)");
}

TEST(PathMap, takes_any_bytes) {
  EXPECT_EQ(mapped("/\xff\x1b=/c", "/\xff\x1b/\x80"), "/c/\x80");
}

TEST(PathMap, first_rule_that_matches_wins) {
  const std::vector<PathMap> rules = {*PathMap::parse("/g/dlc=/dlc"), *PathMap::parse("/g=/base"),
                                      *PathMap::parse("/g=/never")};
  EXPECT_EQ(map_path(rules, "/g/dlc/a"), "/dlc/a");
  EXPECT_EQ(map_path(rules, "/g/a"), "/base/a");
  EXPECT_EQ(map_path(rules, "/other"), "/other");
}

TEST(PathMap, refuses_rules_without_both_parts) {
  for (const char* rule : {"", "/g", "=/content"}) {
    const auto map = PathMap::parse(rule);
    ASSERT_FALSE(map) << rule;
    EXPECT_EQ(map.error().kind, ErrorKind::usage);
  }
}

}  // namespace
}  // namespace seekless
