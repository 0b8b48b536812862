#include "packer/host/leftovers.h"

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

TEST(Leftovers, names_are_new_each_time_and_known_again) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = new_temporary_name().value();
    EXPECT_TRUE(is_temporary_name(name)) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 1000U);
  EXPECT_TRUE(is_temporary_name(".seekless-1234-5.tmp"));  // the form of earlier versions
  for (const char* name :
       {".seekless-.tmp", ".seekless--1.tmp", ".seekless-1-0.tmp2", "seekless-1-0.tmp",
        ".seekless-new", ".seekless-mine.tmp", ".seekless-a/b.tmp", ".tmp", ""})
    EXPECT_FALSE(is_temporary_name(name)) << name;
}

TEST(Leftovers, nothing_else_is_removed_nor_anything_through_a_link) {
  const TestFolder folder;
  const std::string mine = folder.write("mine", "mine");
  folder.write("a/.seekless-12-0.tmp", "mine");
  folder.write(".seekless-12-0.tmp2", "mine");
  folder.write(".seekless-12-0.tmp", "half");
  fs::create_directory(folder.path(".seekless-13-0.tmp"));
  fs::create_symlink("mine", folder.path(".seekless-14-0.tmp"));
  folder.make_pipe(".seekless-15-0.tmp");
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre(
                                           "mine", "a", ".seekless-12-0.tmp2", ".seekless-13-0.tmp",
                                           ".seekless-14-0.tmp", ".seekless-15-0.tmp"));
  EXPECT_TRUE(fs::exists(folder.path("a/.seekless-12-0.tmp")));
  EXPECT_TRUE(fs::exists(mine));
}

TEST(Leftovers, no_folder_is_no_error) {
  const TestFolder folder;
  EXPECT_TRUE(remove_leftovers(folder.path("none")));
}

}  // namespace
}  // namespace seekless
