#include "packer/warm/warm_files.h"

#include <filesystem>
#include <fstream>

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

}  // namespace
}  // namespace seekless
