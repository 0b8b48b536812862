#include "runtime/asset_path.h"

#include <string>

#include <gtest/gtest.h>
#include <xxhash.h>

namespace seekless {
namespace {

TEST(AssetPath, accepts_ordinary_paths) {
  for (const char* path : {"a", "a/b", "textures/wall 1.dds", "a.b/..c", "...", "a/.hidden",
                           "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x8E\xAE/x", "ab:c", "1:x"})
    EXPECT_EQ(check_asset_path(path), PathFault::none) << path;
}

TEST(AssetPath, names_the_broken_rule) {
  EXPECT_EQ(check_asset_path(""), PathFault::empty);
  EXPECT_EQ(check_asset_path("/a"), PathFault::leading_slash);
  EXPECT_EQ(check_asset_path("/"), PathFault::leading_slash);
  EXPECT_EQ(check_asset_path("a/"), PathFault::trailing_slash);
  EXPECT_EQ(check_asset_path("a//b"), PathFault::empty_component);
  EXPECT_EQ(check_asset_path("."), PathFault::dot_component);
  EXPECT_EQ(check_asset_path(".."), PathFault::dot_component);
  EXPECT_EQ(check_asset_path("a/../b"), PathFault::dot_component);
  EXPECT_EQ(check_asset_path("a/./b"), PathFault::dot_component);
  EXPECT_EQ(check_asset_path("a/.."), PathFault::dot_component);
  EXPECT_EQ(check_asset_path("a\\b"), PathFault::backslash);
  EXPECT_EQ(check_asset_path("c:"), PathFault::drive_letter);
  EXPECT_EQ(check_asset_path("Z:/a"), PathFault::drive_letter);
  EXPECT_EQ(check_asset_path(std::string_view("a\0b", 3)), PathFault::control_character);
  EXPECT_EQ(check_asset_path("a\nb"), PathFault::control_character);
  EXPECT_EQ(check_asset_path("a\x7F"), PathFault::control_character);
}

TEST(AssetPath, allows_the_longest_path_and_no_longer) {
  EXPECT_EQ(check_asset_path(std::string(kMaxPathBytes, 'a')), PathFault::none);
  EXPECT_EQ(check_asset_path(std::string(kMaxPathBytes + 1, 'a')), PathFault::too_long);
}

TEST(AssetPath, refuses_what_only_looks_like_utf8) {
  for (const char* path :
       {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xF0\x9F\x8E", "a\xE2\x82/b"})
    EXPECT_EQ(check_asset_path(path), PathFault::not_utf8) << path;
  EXPECT_TRUE(
      is_valid_utf8("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF\xF0\x90\x80\x80\xE0\xA0\x80"));
}

TEST(AssetPath, every_fault_has_its_own_text) {
  std::string texts;
  for (int fault = 0; fault <= static_cast<int>(PathFault::dot_component); ++fault) {
    const std::string text = std::string("[") + describe(static_cast<PathFault>(fault)) + "]";
    EXPECT_EQ(texts.find(text), std::string::npos) << text;
    texts += text;
  }
}

TEST(AssetPath, folds_ascii_only) {
  EXPECT_EQ(fold_case("Maps/A-Z@[`{.BSP"), "maps/a-z@[`{.bsp");
  EXPECT_EQ(fold_case("\xC3\x84"), "\xC3\x84");
  EXPECT_EQ(compare_folded("ABC", "abc"), 0);
  EXPECT_LT(compare_folded("ab", "ABC"), 0);
  EXPECT_GT(compare_folded("b", "ABC"), 0);
  EXPECT_GT(compare_folded("\xC3\x84", "z"), 0);
}

TEST(AssetPath, hash_is_xxh3_of_the_bytes) {
  const std::string path = "Textures/Wall.dds";
  EXPECT_EQ(hash_asset_path(path, 7, false), XXH3_64bits_withSeed(path.data(), path.size(), 7));
  EXPECT_NE(hash_asset_path(path, 7, false), hash_asset_path(path, 8, false));
  EXPECT_NE(hash_asset_path(path, 7, false), hash_asset_path(path, 7, true));
}

TEST(AssetPath, folded_hash_is_the_hash_of_the_folded_path_at_any_length) {
  std::string path;
  for (int i = 0; i < 5000; ++i) {
    const std::string folded = fold_case(path);
    ASSERT_EQ(hash_asset_path(path, 1, true), XXH3_64bits_withSeed(folded.data(), folded.size(), 1))
        << path.size();
    path += static_cast<char>('A' + i % 57);
  }
}

// A change of these values would make every pack in the world unreadable.
TEST(AssetPath, hash_stays_what_it_was) {
  EXPECT_EQ(hash_asset_path("a", 0, false), 0xE6C632B61E964E1FU);
  EXPECT_EQ(hash_asset_path("A", 0, true), 0xE6C632B61E964E1FU);
}

}  // namespace
}  // namespace seekless
