#include "packer/warm/warm_files.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;

TEST(WarmFilesTest, keeps_the_order_and_says_what_is_missing) {
  const TestFolder folder;
  const std::string there = folder.write("there", "12345");
  const WarmFiles files = find_files({"/no/such", there, folder.path()});
  ASSERT_EQ(files.files.size(), 3U);
  EXPECT_EQ(files.files[0].size_bytes, 0U);
  EXPECT_EQ(files.files[1].path, there);
  EXPECT_EQ(files.files[1].size_bytes, 5U);
  EXPECT_THAT(files.missing, ElementsAre("/no/such", folder.path()));
  EXPECT_EQ(files.found(), 1U);
}

TEST(WarmFilesTest, a_file_with_several_names_counts_once) {
  const TestFolder folder;
  const std::string name = folder.write("a", std::string(9000, 'x'));
  const std::string hard = folder.path() + "/hard";
  const std::string soft = folder.path() + "/soft";
  std::filesystem::create_hard_link(name, hard);
  std::filesystem::create_symlink(name, soft);
  Wanted wanted;
  wanted.add(hard, 0, 100);
  wanted.add("/no/such", 5, 10);
  wanted.add(name, 50, 100);
  wanted.add(soft, 8000, 1000);
  wanted.add("/no/such/other", 0, 1);
  Wanted one = with_one_name_each(std::move(wanted));
  EXPECT_THAT(one.paths(), ElementsAre(hard, "/no/such", "/no/such/other"));
  EXPECT_THAT(one.take_ranges(), ElementsAre(WantedRange{0, 0, 150}, WantedRange{0, 8000, 1000},
                                             WantedRange{1, 5, 10}, WantedRange{2, 0, 1}));
}

}  // namespace
}  // namespace seekless
