#include "packer/library/internal/vdf.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/library/internal/steam_manifest.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kManifest = R"("AppState"
{
	"appid"		"220"
	"name"		"Half-Life \"2\""
	"StateFlags"		"4"
	"installdir"		"Half-Life 2"
	"SizeOnDisk"		"7000000000"
	"UserConfig" { "language" "english" }  // a comment
	unquoted value [$WIN32]
}
)";

std::string fault_of(std::string_view text) {
  const auto parsed = parse_vdf(text, "a.vdf");
  return parsed ? "" : parsed.error().message;
}

TEST(Vdf, reads_a_manifest) {
  const auto file = parse_vdf(kManifest, "a.acf");
  ASSERT_TRUE(file) << file.error().message;
  const SteamManifest manifest = steam_manifest(*file);
  EXPECT_EQ(manifest.id, "220");
  EXPECT_EQ(manifest.name, "Half-Life \"2\"");
  EXPECT_EQ(manifest.folder_name, "Half-Life 2");
  EXPECT_EQ(manifest.bytes, 7'000'000'000U);
  EXPECT_TRUE(manifest.is_installed);
  EXPECT_EQ(file->find("appstate")->text("unquoted"), "value");
}

TEST(Vdf, lists_libraries_of_today_and_before) {
  const auto today = parse_vdf(
      R"("libraryfolders" { "contentstatsid" "1" "0" { "path" "/a" "apps" { "220" "1" } } "1" { "path" "C:\\b" } })",
      "");
  EXPECT_THAT(steam_libraries(*today), ElementsAre("/a", "C:\\b"));
  const auto before =
      parse_vdf(R"("LibraryFolders" { "TimeNextStatsReport" "9" "1" "/a" "2" "/b" })", "");
  EXPECT_THAT(steam_libraries(*before), ElementsAre("/a", "/b"));
}

TEST(Vdf, says_which_line_is_wrong) {
  EXPECT_THAT(fault_of(""), HasSubstr("a.vdf: line 1: expected keys and values, found none"));
  EXPECT_THAT(fault_of("\n\n{"), HasSubstr("line 3: expected a key before '{'"));
  EXPECT_THAT(fault_of("a b\n}"), HasSubstr("line 2: expected a '{' for each '}'"));
  EXPECT_THAT(fault_of("a {\n b c\n"), HasSubstr("line 3: expected a '}' for each '{'"));
  EXPECT_THAT(fault_of("a\n}"), HasSubstr("expected a value of 'a'"));
  EXPECT_THAT(fault_of("\"a"), HasSubstr("expected a closing quotation mark"));
}

TEST(Vdf, refuses_sections_nested_without_end) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a{";
  EXPECT_THAT(fault_of(text), HasSubstr("at most 64 sections"));
}

TEST(Vdf, takes_no_number_that_is_none) {
  for (const char* text : {"", "-1", "nan", "1e9", "99999999999999999999999", "1 "})
    EXPECT_EQ(number_or_zero(text), 0U) << text;
}

// Every part of a file, and every file with one wrong byte, is an error or a tree, never a crash.
TEST(Vdf, survives_truncation_and_wrong_bytes) {
  for (size_t size = 0; size < kManifest.size(); ++size) {
    const auto parsed = parse_vdf(kManifest.substr(0, size), "");
    EXPECT_TRUE(!parsed || size + 2 >= kManifest.size()) << size;
  }
  std::mt19937 random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::string text(kManifest);
    for (int i = 0; i < 3; ++i)
      text[random() % text.size()] = std::string_view("\"{}\\\n/[\0\xff", 9)[random() % 9];
    if (const auto parsed = parse_vdf(text, ""); parsed) steam_manifest(*parsed);
  }
}

}  // namespace
}  // namespace seekless
