#include "packer/warm/warm_files.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

TEST(WarmFilesTest, keeps_the_order_and_says_what_is_missing) {
  const std::string there = testing::TempDir() + "warm-files-there";
  std::ofstream(there) << "12345";
  const WarmFiles files = find_files({"/no/such", there, testing::TempDir()});
  std::filesystem::remove(there);
  ASSERT_EQ(files.files.size(), 3U);
  EXPECT_EQ(files.files[0].size_bytes, 0U);
  EXPECT_EQ(files.files[1].path, there);
  EXPECT_EQ(files.files[1].size_bytes, 5U);
  EXPECT_THAT(files.missing, ElementsAre("/no/such", testing::TempDir()));
  EXPECT_EQ(files.found(), 1U);
}

}  // namespace
}  // namespace seekless
