#include "packer/repack/internal/output_folder.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

Result<void> put(const OutputFolder& output, const std::string& name, const std::string& text) {
  const auto path = output.stage(name);
  return path ? write_text(*path, text) : std::unexpected(path.error());
}

TEST(OutputFolder, shows_nothing_until_all_is_there) {
  const TestFolder folder;
  const std::string path = folder.path("out");
  {
    const auto output = OutputFolder::open(path);
    ASSERT_TRUE(output);
    ASSERT_TRUE(put(*output, "a/b.zip", "b"));
    EXPECT_EQ(kind_of_path(path + "/a"), PathKind::missing);
  }
  EXPECT_EQ(kind_of_path(path), PathKind::missing);
}

TEST(OutputFolder, replaces_an_earlier_output_and_nothing_else) {
  const TestFolder folder;
  const std::string path = folder.path("out");
  for (const std::string name : {"a/b.zip", "c.zip"}) {
    auto output = OutputFolder::open(path);
    ASSERT_TRUE(output) << output.error().message;
    ASSERT_TRUE(put(*output, name, name));
    ASSERT_TRUE(output->commit());
    EXPECT_EQ(read_text(path + "/" + name, 100).value(), name);
  }
  EXPECT_EQ(kind_of_path(path + "/a"), PathKind::missing);
  folder.write("out/mine.txt", "mine");
  const auto refused = OutputFolder::open(path);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("mine.txt"));
  EXPECT_EQ(kind_of_path(path + "/c.zip"), PathKind::file);
}

TEST(OutputFolder, may_have_nothing_in_it) {
  const TestFolder folder;
  const std::string path = folder.path("out");
  for (int i = 0; i < 2; ++i) {
    auto output = OutputFolder::open(path);
    ASSERT_TRUE(output) << output.error().message;
    const auto committed = output->commit();
    ASSERT_TRUE(committed) << committed.error().message;
    EXPECT_EQ(kind_of_path(path + "/.seekless-new"), PathKind::missing);
  }
  {
    auto output = OutputFolder::open(path);
    ASSERT_TRUE(put(*output, "a/b.zip", "b"));
    ASSERT_TRUE(output->commit());
  }
  auto empty = OutputFolder::open(path);
  ASSERT_TRUE(empty && empty->commit());
  EXPECT_EQ(kind_of_path(path + "/a"), PathKind::missing);
}

TEST(OutputFolder, writes_through_no_link) {
  const TestFolder folder;
  const std::string path = folder.path("out");
  std::filesystem::create_directories(path);
  std::filesystem::create_directories(folder.path("elsewhere"));
  auto output = OutputFolder::open(path);
  ASSERT_TRUE(output);
  ASSERT_TRUE(put(*output, "a/b.zip", "b"));
  std::filesystem::create_directory_symlink(folder.path("elsewhere"), path + "/a");
  EXPECT_FALSE(output->commit());
  { const auto gone = *std::move(output); }
  const auto refused = OutputFolder::open(path);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::HasSubstr(path + "/a: "));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("elsewhere")));
}

}  // namespace
}  // namespace seekless
