#include <cstdio>
#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "packer/host/extents.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

class ExtentsTest : public testing::Test {
 protected:
  std::string write(const std::string& name, uint64_t offset, size_t bytes) {
    const std::string path = folder_.path(name);
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string text(bytes, 'x');
    EXPECT_EQ(pwrite(descriptor, text.data(), bytes, static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes));
    close(descriptor);
    return path;
  }

  TestFolder folder_;
};

uint64_t bytes_of(const FileExtents& file) {
  uint64_t bytes = file.inline_bytes;
  for (const Extent& extent : file.extents) bytes += extent.length_bytes;
  return bytes;
}

TEST_F(ExtentsTest, every_byte_of_a_written_file_has_a_place) {
  const auto file = read_extents(write("whole", 0, 3'000'000));
  if (!file) GTEST_SKIP() << file.error().message;  // a temporary folder in memory
  EXPECT_EQ(file->size_bytes, 3'000'000u);
  EXPECT_EQ(bytes_of(*file), 3'000'000u);
}

TEST_F(ExtentsTest, a_hole_has_none) {
  const auto file = read_extents(write("hole", 1 << 20, 4096));
  if (!file) GTEST_SKIP() << file.error().message;
  ASSERT_EQ(file->extents.size(), 1u);
  EXPECT_EQ(file->extents[0].offset_bytes, 1u << 20);
  EXPECT_EQ(file->extents[0].length_bytes, 4096u);
}

TEST_F(ExtentsTest, an_empty_file_has_none) {
  const auto file = read_extents(write("empty", 0, 0));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->extents.empty());
}

TEST_F(ExtentsTest, refuses_what_is_no_file) {
  EXPECT_THAT(read_extents(folder_.path()).error().message, HasSubstr("expected a regular file"));
  EXPECT_THAT(read_extents(folder_.path("none")).error().message, HasSubstr("No such file"));
  EXPECT_THAT(read_extents("/dev/null").error().message, HasSubstr("expected a regular file"));
}

TEST_F(ExtentsTest, a_folders_list_has_a_place_on_ext4) {
  const auto file = read_extents(write("file", 0, 1));
  const auto list = read_folder_extents(folder_.path());
  if (!file) GTEST_SKIP() << file.error().message;  // a temporary folder in memory
  // Most other file systems don't tell where folders lie.
  if (file->ext4_inode == 0) GTEST_SKIP() << "the temporary folder isn't on ext4";
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->size_bytes, 4096u);
  EXPECT_EQ(bytes_of(*list), 4096u);
  EXPECT_EQ(list->device, file->device);
  EXPECT_THAT(read_folder_extents(file->path).error().message, HasSubstr("expected a folder"));
}

TEST(Extents, says_where_a_file_system_cant_tell) {
  const std::string path = "/dev/shm/seekless-extents-test";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) GTEST_SKIP() << "there is no file system in memory";
  std::fputs("text", file);
  std::fclose(file);
  const auto found = read_extents(path);
  std::filesystem::remove(path);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("a file system that tells where"));
}

}  // namespace
}  // namespace seekless
