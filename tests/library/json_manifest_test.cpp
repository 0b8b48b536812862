#include "packer/library/internal/json_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/library/internal/gog_info.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

ManifestJson json_of(std::string_view text) {
  return parse_manifest(text, "").value();
}

TEST(JsonManifest, reads_the_forms_of_all_stores) {
  const auto epic = legendary_entries(json_of(
      R"({"Fn": {"app_name": "Fn", "title": "F N", "install_path": "/f", "install_size": 9, "executable": "f.exe"},
          "Dlc": {"is_dlc": true, "install_path": "/f"}})"));
  ASSERT_EQ(epic->size(), 1U);
  EXPECT_EQ(epic->at(0).id, "Fn");
  EXPECT_EQ(epic->at(0).name, "F N");
  EXPECT_EQ(epic->at(0).bytes, 9U);
  const auto gog = gogdl_entries(json_of(
      R"({"installed": [{"appName": "12", "install_path": "/g", "install_size": "1.2 GiB", "is_dlc": false}]})"));
  EXPECT_EQ(gog->at(0).folder, "/g");
  EXPECT_EQ(gog->at(0).bytes, 0U);
  EXPECT_EQ(nile_entries(json_of(R"([{"id": "n", "path": "/n", "size": 5}])"))->at(0).bytes, 5U);
  const auto own = sideloaded_entries(json_of(
      R"({"games": [{"app_name": "x", "title": "X", "is_installed": true, "install": {"executable": "/x/x.sh"}},
                    {"app_name": "y", "title": "Y", "is_installed": false}]})"));
  ASSERT_EQ(own->size(), 1U);
  EXPECT_EQ(own->at(0).program, "/x/x.sh");
  EXPECT_EQ(
      epic_entry(json_of(R"({"DisplayName": "E", "InstallLocation": "C:\\E", "InstallSize": 3})"))
          .folder,
      "C:\\E");
}

TEST(JsonManifest, reads_titles_of_every_catalogue) {
  EXPECT_THAT(titles_of(json_of(R"({"games": [{"app_name": "1", "title": "One"}]})")),
              UnorderedElementsAre(Pair("1", "One")));
  EXPECT_THAT(titles_of(json_of(R"([{"id": "e", "product": {"id": "2", "title": "Two"}}])")),
              UnorderedElementsAre(Pair("2", "Two")));
}

TEST(JsonManifest, takes_values_of_other_types_as_missing) {
  for (const char* text : {"null", "1", "\"a\"", "true"}) {
    EXPECT_FALSE(legendary_entries(json_of(text))) << text;
    EXPECT_FALSE(gogdl_entries(json_of(text))) << text;
    EXPECT_TRUE(titles_of(json_of(text)).empty()) << text;
  }
  const auto odd = legendary_entries(
      json_of(R"({"a": 1, "b": {"install_path": 5, "install_size": -1, "title": ["x"]}})"));
  ASSERT_EQ(odd->size(), 1U);
  EXPECT_EQ(odd->at(0).folder, "");
  EXPECT_EQ(odd->at(0).bytes, 0U);
}

TEST(JsonManifest, names_file_and_place_of_what_is_no_json) {
  const auto cut = parse_manifest(R"({"a": )", "installed.json");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::damaged);
  EXPECT_THAT(cut.error().message, HasSubstr("installed.json: byte 7: expected JSON"));
  EXPECT_FALSE(parse_manifest(std::string(100'000, '['), ""));
  EXPECT_FALSE(parse_manifest("", ""));
}

TEST(GogInfo, reads_name_and_number) {
  const auto info = parse_gameinfo(
      "Stardew Valley\n1.5.6\n1.5.6.1988831614\nen-US\n1453375253\n1453375253\n", "");
  EXPECT_EQ(info->name, "Stardew Valley");
  EXPECT_EQ(info->id, "1453375253");
  EXPECT_EQ(parse_gameinfo("Only a name", "")->id, "");
  EXPECT_THAT(parse_gameinfo("\n1.0\n", "gameinfo").error().message,
              HasSubstr("gameinfo: line 1: expected the game's name, found an empty line"));
  EXPECT_FALSE(parse_gameinfo(std::string_view("\0\1\2", 3), ""));
}

}  // namespace
}  // namespace seekless
