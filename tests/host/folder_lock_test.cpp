#include "packer/host/folder_lock.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

TEST(FolderLock, keeps_others_out_and_names_the_holder) {
  const TestFolder folder;
  auto first = FolderLock::take(folder.path(), "build");
  ASSERT_TRUE(first) << first.error().message;
  const auto second = FolderLock::take(folder.path(), "build");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message,
              testing::AllOf(HasSubstr("no other build"), HasSubstr("process"), HasSubstr("wait")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FolderLock, is_given_back_at_the_end) {
  const TestFolder folder;
  { ASSERT_TRUE(FolderLock::take(folder.path(), "build")); }
  EXPECT_TRUE(FolderLock::take(folder.path(), "build"));
}

TEST(FolderLock, needs_a_folder) {
  const TestFolder folder;
  folder.write("file", "x");
  EXPECT_FALSE(FolderLock::take(folder.path("none"), "build"));
  EXPECT_FALSE(FolderLock::take(folder.path("file"), "build"));
}

}  // namespace
}  // namespace seekless
