#include "packer/output/folder_tree.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/folder_entries.h"
#include "packer/output/replaced_folder.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ListFolder, sorts_as_the_paths_below_are_sorted) {
  const TestFolder folder;
  for (const char* name : {"a/z", "a.b", "a0", "b", "\xC3\xA4"}) folder.write(name, "xy");
  fs::create_symlink("b", folder.path("to-b"));
  std::vector<std::string> names;
  const auto entries = list_folder(folder.path());
  ASSERT_TRUE(entries);
  for (const FolderEntry& entry : *entries) {
    names.push_back(entry.name);
    EXPECT_EQ(entry.is_folder, entry.name == "a");
    EXPECT_EQ(entry.is_link, entry.name == "to-b");
    EXPECT_EQ(entry.size_bytes, entry.is_folder ? 0U : 2U) << entry.name;
  }
  EXPECT_THAT(names, ElementsAre("a.b", "a", "a0", "b", "to-b", "\xC3\xA4"));
  EXPECT_THAT(list_folder(folder.path("none")).error().message, HasSubstr("none"));
}

TEST(FolderTree, is_removed_with_all_that_is_plain) {
  const TestFolder folder;
  folder.write("top/a/b/c", "x");
  fs::create_directories(folder.path("top/empty/deep"));
  EXPECT_THAT(plain_files(folder.path("top")).value(), ElementsAre("a/b/c"));
  ASSERT_TRUE(remove_tree(folder.path("top")));
  EXPECT_FALSE(fs::exists(folder.path("top")));
  EXPECT_TRUE(remove_tree(folder.path("top")));
  EXPECT_THAT(plain_files(folder.path("top")).value(), IsEmpty());
}

TEST(FolderTree, is_never_followed_through_a_link) {
  const TestFolder folder;
  const std::string mine = folder.write("elsewhere/mine", "x");
  fs::create_directories(folder.path("empty"));
  for (const char* to : {"elsewhere", "empty", "elsewhere/mine"}) {
    fs::create_directories(folder.path("top/sub"));
    fs::create_symlink(folder.path(to), folder.path("top/sub/link"));
    const auto removed = remove_tree(folder.path("top"));
    ASSERT_FALSE(removed) << to;
    EXPECT_THAT(removed.error().message, HasSubstr("top/sub/link"));
    EXPECT_FALSE(plain_files(folder.path("top")));
    fs::remove_all(folder.path("top"));
    fs::create_directory_symlink(folder.path("elsewhere"), folder.path("top"));
    EXPECT_FALSE(remove_tree(folder.path("top")));
    fs::remove(folder.path("top"));
  }
  EXPECT_TRUE(fs::exists(mine));
}

TEST(ReplacedFolder, leaves_nothing_of_what_it_did_not_end) {
  const TestFolder folder;
  {
    auto replaced = ReplacedFolder::open(folder.path("new"), "test");
    ASSERT_TRUE(replaced && replaced->begin());
    folder.write("new/.seekless-new/a", "x");
    EXPECT_FALSE(ReplacedFolder::open(folder.path("new"), "test"));
  }
  EXPECT_FALSE(fs::exists(folder.path("new")));
  folder.write("old/mine", "x");
  {
    auto replaced = ReplacedFolder::open(folder.path("old"), "test");
    ASSERT_TRUE(replaced && replaced->begin());
    replaced->leave();
  }
  EXPECT_TRUE(fs::exists(folder.path("old/.seekless-new")));
  auto again = ReplacedFolder::open(folder.path("old"), "test");
  folder.write("old/.seekless-new/theirs", "x");
  const auto left = again->left_files([](std::string_view name) { return name == "ours"; });
  ASSERT_FALSE(left);
  EXPECT_THAT(left.error().message, HasSubstr("'theirs'"));
  EXPECT_TRUE(again->left_files([](std::string_view) { return true; }));
  ASSERT_TRUE(again->end());
  EXPECT_THAT(list_folder(folder.path("old")).value(), testing::SizeIs(1));
}

}  // namespace
}  // namespace seekless
