#include "packer/content/locator.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;

// Returns each piece as "data 1 [10,20)".
std::vector<std::string> pieces(const Locator& locator, uint32_t file, uint64_t offset,
                                uint64_t length) {
  static const char* const kNames[] = {"data", "header", "shadowed", "directory", "other"};
  std::vector<std::string> found;
  locator.touched(file, offset, length, [&found](const Touch& touch) {
    found.push_back(std::string(kNames[static_cast<size_t>(touch.part)]) + " " +
                    std::to_string(touch.index) + " [" + std::to_string(touch.offset_bytes) + "," +
                    std::to_string(touch.offset_bytes + touch.length_bytes) + ")");
  });
  return found;
}

class LocateReads : public testing::Test {
 protected:
  Content scan(const std::vector<std::string>& roots) {
    auto content = scan_content(roots, {.exclude = {"left-out"}});
    EXPECT_TRUE(content) << content.error().message;
    return content ? *std::move(content) : Content{};
  }
  TestFolder folder;
};

// Returns a .pak of Quake with these entries, all of which begin at byte 12.
std::string pak_at_12(const std::vector<std::pair<std::string, uint32_t>>& entries,
                      uint32_t data_bytes) {
  const auto number = [](uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  std::string pak = "PACK" + number(12 + data_bytes) +
                    number(64 * static_cast<uint32_t>(entries.size())) +
                    std::string(data_bytes, 'd');
  for (const auto& [name, size_bytes] : entries)
    pak += name + std::string(56 - name.size(), '\0') + number(12) + number(size_bytes);
  return pak;
}

TEST_F(LocateReads, finds_the_entry_that_begins_where_an_empty_one_lies) {
  folder.write("x.pak", pak_at_12({{"a", 100}, {"empty", 0}}, 100));
  const auto content = scan_content({folder.path()}, {.flat_archives = true});
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_THAT(pieces(Locator(*content), 0, 12, 50), ElementsAre("data 0 [12,62)"));
}

TEST_F(LocateReads, tells_data_headers_and_directory_apart) {
  ZipBuilder zip{.items = {{.name = "a", .content = std::string(100, 'a')},
                           {.name = "empty"},
                           {.name = "left-out", .content = "12345"},
                           {.name = "b", .content = std::string(50, 'b')}}};
  const std::string bytes = zip.build();
  folder.write("x.zip", bytes);
  const Content content = scan({folder.path()});
  const Locator locator(content);
  // headers: a 0-31, empty 131-166, left-out 166-204 and 209, b 209-240-290, directory from 290
  ASSERT_EQ(zip.directory_at, 290U);
  EXPECT_THAT(pieces(locator, 0, 0, 30), ElementsAre("header 0 [0,30)"));
  EXPECT_THAT(pieces(locator, 0, 31, 1), ElementsAre("data 0 [31,32)"));
  EXPECT_THAT(pieces(locator, 0, 130, 2), ElementsAre("data 0 [130,131)", "header 2 [131,132)"));
  EXPECT_THAT(pieces(locator, 0, 0, UINT64_MAX),
              ElementsAre("header 0 [0,31)", "data 0 [31,131)", "header 2 [131,166)",
                          "other 0 [166,209)", "header 1 [209,240)", "data 1 [240,290)",
                          "directory 0 [290," + std::to_string(bytes.size()) + ")"));
  EXPECT_THAT(pieces(locator, 0, 289, 2), ElementsAre("data 1 [289,290)", "directory 0 [290,291)"));
  EXPECT_TRUE(pieces(locator, 0, bytes.size(), 1).empty());
  EXPECT_TRUE(pieces(locator, 0, 10, 0).empty());
}

TEST_F(LocateReads, counts_prefixes_descriptors_and_longer_local_headers) {
  ZipBuilder zip{
      .items = {{.name = "a", .content = "12345", .with_descriptor = true},
                {.name = "b", .content = "12345", .local_extra = extra_field(9, "123")}}};
  zip.prefix = "prefix";
  folder.write("x.zip", zip.build());
  const Content content = scan({folder.path()});
  const Locator locator(content);
  EXPECT_THAT(pieces(locator, 0, 0, zip.directory_at),
              ElementsAre("other 0 [0,6)", "header 0 [6,37)", "data 0 [37,42)", "other 0 [42,58)",
                          "header 1 [58,96)", "data 1 [96,101)"));
}

TEST_F(LocateReads, counts_shadowed_entries_apart) {
  folder.write("x.zip", ZipBuilder{.items = {{.name = "a", .content = "12345"}}}.build());
  folder.write("a", "loose");
  const Content content = scan({folder.path()});
  const Locator locator(content);
  EXPECT_THAT(pieces(locator, 0, 0, 36), ElementsAre("shadowed 0 [0,31)", "shadowed 0 [31,36)"));
  EXPECT_THAT(pieces(locator, 1, 1, 99), ElementsAre("data 0 [1,5)"));
}

TEST_F(LocateReads, finds_files_as_written_and_by_canonical_path) {
  folder.write("game/x.zip", ZipBuilder{.items = {{.name = "a"}}}.build());
  folder.write("game/sub/loose", "x");
  folder.write("elsewhere/target", "x");
  std::filesystem::create_symlink("../elsewhere/target", folder.path("game/link"));
  std::filesystem::create_directory_symlink("game", folder.path("alias"));
  const Content content = scan({folder.path("alias")});
  const Locator locator(content);
  ASSERT_EQ(content.sources.size(), 3U);  // x.zip, link, sub/loose
  EXPECT_EQ(locator.find_file(folder.path("alias/x.zip")), 0U);
  EXPECT_EQ(locator.find_file(folder.path("game/x.zip")), 0U);
  EXPECT_EQ(locator.find_file(folder.path("game/../game/x.zip")), 0U);
  EXPECT_EQ(locator.find_file(folder.path("game/sub/loose")), 2U);
  EXPECT_EQ(locator.find_file(folder.path("elsewhere/target")), 1U);
  EXPECT_EQ(locator.find_file(folder.path("game/X.ZIP")), 0U) << "as a trace of Windows may say";
  EXPECT_EQ(locator.find_file(folder.path("game")), std::nullopt);
  EXPECT_EQ(locator.find_file(""), std::nullopt);
}

TEST_F(LocateReads, finds_windows_paths_in_any_case_unless_two_fit) {
  folder.write("Game/Data.zip", ZipBuilder{.items = {{.name = "a"}}}.build());
  folder.write("Game/one", "x");
  folder.write("Game/ONE", "x");
  const Content content = scan({folder.path("Game")});
  const Locator locator(content);
  EXPECT_EQ(locator.find_file(folder.path() + "\\GAME\\data.ZIP"), 0U);
  EXPECT_EQ(locator.find_file(folder.path("game/data.zip")), 0U);
  EXPECT_EQ(locator.find_file(folder.path() + "\\game\\one"), std::nullopt) << "two would fit";
}

TEST_F(LocateReads, finds_assets_by_the_names_that_lists_give) {
  folder.write("a.zip", ZipBuilder{.items = {{.name = "map/x", .content = "1"}}}.build());
  folder.write("b.zip", ZipBuilder{.items = {{.name = "map/y", .content = "1"}}}.build());
  folder.write("loose.txt", "1");
  const Content content = scan({folder.path()});
  const Locator locator(content);
  const auto name_of = [&](const std::string& path) {
    const auto asset = locator.find_asset(path);
    return asset ? content.assets[*asset].path : "";
  };
  for (const char* path : {"map/x", "/map/x", "../../map/x", "./map/x", ".././/map/x"})
    EXPECT_EQ(name_of(path), "map/x") << path;
  EXPECT_EQ(name_of(folder.path() + "/a.zip/map/x"), "map/x");
  EXPECT_EQ(name_of(folder.path() + "/a.zip/map/y"), "") << "it lies in the other archive";
  EXPECT_EQ(name_of(folder.path() + "/loose.txt/map/x"), "") << "no archive";
  EXPECT_EQ(name_of("loose.txt"), "loose.txt");
  for (const char* path : {"map\\x", ".\\map\\x", "..\\map\\x", "\\map\\x"})
    EXPECT_EQ(name_of(path), "map/x") << path;
  for (const char* path : {"", "/", "..", "../", "map", "map/", "map/xx", "x"})
    EXPECT_EQ(name_of(path), "") << path;
}

TEST_F(LocateReads, finds_entries_by_archive_and_name_where_archives_are_kept) {
  folder.write("app/omni.ja", ZipBuilder{.items = {{.name = "a.js", .content = "1"}}}.build());
  folder.write("omni.ja", ZipBuilder{.items = {{.name = "a.js", .content = "1"}}}.build());
  const auto content = scan_content({folder.path()}, {.keep_archives = true});
  ASSERT_TRUE(content);
  const Locator locator(*content);
  for (const char* archive : {"app/omni.ja", "omni.ja"}) {
    const auto asset = locator.find_asset(folder.path(archive) + "/a.js");
    ASSERT_TRUE(asset) << archive;
    EXPECT_EQ(content->assets[*asset].path, std::string(archive) + "/a.js");
  }
  EXPECT_FALSE(locator.find_asset(folder.path("omni.ja") + "/b.js"));

  const Content taken_apart = scan({folder.path()});
  const auto asset = Locator(taken_apart).find_asset(folder.path("app/omni.ja") + "/a.js");
  ASSERT_TRUE(asset) << "below the archive's folder";
  EXPECT_EQ(taken_apart.assets[*asset].path, "app/a.js");
}

TEST_F(LocateReads, an_entry_of_an_archive_that_is_kept_whole_is_that_archive) {
  ZipBuilder zip{.items = {{.name = "chrome/a.js", .content = "12345"}}};
  folder.write("omni.ja", zip.build());
  folder.write("b", "1");
  const auto content = scan_content({folder.path()}, {.opaque = {"**"}});
  ASSERT_TRUE(content);
  const Locator locator(*content);
  const std::string name = "omni.ja/chrome/a.js";
  for (const std::string& path :
       {folder.path() + "/" + name, folder.path() + "/../" +
                                        std::filesystem::path(folder.path()).filename().string() +
                                        "/" + name}) {
    const auto asset = locator.find_asset(path);
    ASSERT_TRUE(asset) << path;
    EXPECT_EQ(content->assets[*asset].path, "omni.ja");
  }
  EXPECT_FALSE(locator.find_asset(folder.path() + "/none.ja/chrome/a.js"));
}

}  // namespace
}  // namespace seekless
