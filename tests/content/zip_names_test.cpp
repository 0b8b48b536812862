// Tests the packer with the table; tests/runtime/zip_names_test.cpp tests the reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_name_cases.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Adds another entry, because an archive without an asset isn't packed.
std::string archive_of(const ZipItem& item) {
  return ZipBuilder{.items = {item, {.name = "zz", .content = "always there"}}}.build();
}

TEST(ZipNames, come_to_what_the_table_says) {
  for (const ZipNameCase& of : zip_name_cases()) {
    const auto directory = read_zip_directory(source_of(archive_of(of.item)));
    ASSERT_TRUE(directory) << of.what << directory.error().message;
    const ZipEntry entry = directory->entry(0);
    EXPECT_EQ(entry.name_fault, of.fault) << of.what;
    // An entry that no path leads to is left out in both cases.
    if (of.fault == PathFault::none) {
      EXPECT_EQ(entry.is_directory, of.is_folder()) << of.what;
    }
    EXPECT_EQ(entry.is_link, of.is_link) << of.what;
    if (!of.path.empty()) {
      EXPECT_EQ(entry.name, of.path) << of.what;
    }
  }
}

TEST(ZipNames, are_assets_or_left_out_with_a_word) {
  const TestFolder folder;
  for (const ZipNameCase& of : zip_name_cases()) {
    const std::string path = folder.write("a.zip", archive_of(of.item));
    const auto content = scan_content({path}, {});
    ASSERT_TRUE(content) << of.what << content.error().message;
    std::vector<std::string> paths;
    for (const Asset& asset : content->assets) paths.emplace_back(asset.path);
    if (of.path.empty())
      EXPECT_THAT(paths, ElementsAre("zz")) << of.what;
    else
      EXPECT_THAT(paths, UnorderedElementsAre(of.path, "zz")) << of.what;
    EXPECT_EQ(content->directories_skipped, of.is_folder() ? 1U : 0U) << of.what;
    EXPECT_EQ(content->links_inside.count, of.is_link ? 1U : 0U) << of.what;
    EXPECT_EQ(content->unaddressable.count, of.fault != PathFault::none ? 1U : 0U) << of.what;
    const bool is_told = of.is_link || of.fault != PathFault::none;
    EXPECT_EQ(warnings_of(*content).size(), is_told ? 1U : 0U) << of.what;
    EXPECT_EQ(scan_content({path}, {.strict = true}).has_value(), !is_told) << of.what;
  }
}

TEST(ZipNames, beside_each_other_come_to_what_the_table_says) {
  const TestFolder folder;
  for (const ZipSetCase& of : zip_set_cases()) {
    const std::string path = folder.write("a.zip", ZipBuilder{.items = of.items}.build());
    const auto content = scan_content({path}, {.fold_case = of.folds_case});
    ASSERT_TRUE(content) << of.what << content.error().message;
    std::vector<std::string> paths;
    for (const Asset& asset : content->assets) paths.emplace_back(asset.path);
    EXPECT_EQ(paths, of.paths) << of.what;
    EXPECT_EQ(content->unaddressable.count + content->links_inside.count, of.left_out) << of.what;
    const ScanOptions strict = {.fold_case = of.folds_case, .strict = true};
    EXPECT_EQ(scan_content({path}, strict).has_value(), of.left_out == 0) << of.what;
  }
}

TEST(ZipNames, of_files_that_others_lie_in_are_told_or_excluded) {
  const TestFolder folder;
  const std::string path = folder.write(
      "a.zip", ZipBuilder{.items = {{.name = "a", .content = "x"}, {.name = "a/b"}}}.build());
  const auto content = scan_content({path}, {});
  ASSERT_TRUE(content);
  EXPECT_THAT(warnings_of(*content), ElementsAre(HasSubstr("others lie in it, as in a folder")));
  for (const char* excluded : {"a", "a/**"}) {
    const auto one = scan_content({path}, {.strict = true, .exclude = {excluded}});
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->assets.size(), 1U) << excluded;
  }
  const auto places = scan_content({path}, {.any_names = true});
  ASSERT_TRUE(places);
  EXPECT_EQ(places->assets.size(), 2U);
}

TEST(ZipNames, of_links_stay_where_only_places_matter) {
  const TestFolder folder;
  const std::string path = folder.write(
      "a.zip", archive_of({.name = "a", .content = "zz", .external_attributes = 0120777U << 16}));
  const auto content = scan_content({path}, {.any_names = true});
  ASSERT_TRUE(content);
  EXPECT_NE(content->find("a"), nullptr);
  EXPECT_THAT(warnings_of(*content), IsEmpty());
  const auto told = scan_content({path}, {});
  ASSERT_TRUE(told);
  EXPECT_THAT(
      warnings_of(*told),
      ElementsAre(HasSubstr("1 symbolic link in an archive is left out, such as entry 'a'")));
}

TEST(ZipNames, of_links_alone_are_no_content) {
  const TestFolder folder;
  const std::string path = folder.write(
      "a.zip",
      ZipBuilder{.items = {{.name = "a", .content = "b", .external_attributes = 0120777U << 16}}}
          .build());
  const auto content = scan_content({path}, {});
  ASSERT_FALSE(content);
  EXPECT_THAT(content.error().message, HasSubstr("1 symbolic link in archives"));
}

}  // namespace
}  // namespace seekless
