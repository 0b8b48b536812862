// Tests the packer with the table; tests/runtime/mount_test.cpp tests the reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/content.h"
#include "tests/content/folder_link_cases.h"

namespace seekless {
namespace {

TEST(FolderLinks, come_to_what_the_table_says) {
  for (const FolderLinkCase& of : folder_link_cases()) {
    const FolderOfLinks links(of);
    const auto content = scan_content({links.folder.path()}, {});
    ASSERT_TRUE(content) << of.what << content.error().message;
    std::vector<std::string> paths;
    for (const Asset& asset : content->assets) paths.emplace_back(asset.path);
    EXPECT_THAT(paths, testing::UnorderedElementsAreArray(all_paths_of(of))) << of.what;
    EXPECT_EQ(content->leading_nowhere.count, of.left_out) << of.what;
    EXPECT_EQ(scan_content({links.folder.path()}, {.strict = true}).has_value(), of.left_out == 0)
        << of.what;
  }
}

}  // namespace
}  // namespace seekless
