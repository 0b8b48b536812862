#include "packer/host/file_stamp.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kLongerThanATick = 30ms;

TEST(StampFolder, finds_what_walking_finds_in_the_same_order) {
  const TestFolder folder;
  for (const char* path : {"b", "a/x", "a.z", "a-", "a/y/z", "A", "a0"}) folder.write(path, "1234");
  fs::create_directory(folder.path("empty"));
  fs::create_symlink(folder.path("b"), folder.path("link"));
  fs::create_directory_symlink(folder.path("a"), folder.path("to-a"));
  folder.make_pipe("pipe");
  const auto stamped = stamp_folder(folder.path());
  const auto walked = walk_folder(folder.path());
  ASSERT_TRUE(stamped && walked);
  ASSERT_EQ(stamped->size(), walked->size());
  for (size_t i = 0; i < walked->size(); ++i) {
    EXPECT_EQ((*stamped)[i].path, (*walked)[i].relative_path);
    EXPECT_EQ((*stamped)[i].stamp.size_bytes, (*walked)[i].size_bytes);
    const auto alone = change_stamp_of(folder.path((*stamped)[i].path));
    ASSERT_TRUE(alone && *alone);
    EXPECT_EQ(**alone, (*stamped)[i].stamp);
  }
}

TEST(StampFolder, passes_over_links_in_a_circle_and_to_nothing) {
  const TestFolder folder;
  folder.write("a/b/file", "x");
  fs::create_directory_symlink(folder.path("a"), folder.path("a/b/back"));
  fs::create_symlink(folder.path("nowhere"), folder.path("a/broken"));
  const auto stamped = stamp_folder(folder.path());
  ASSERT_TRUE(stamped) << stamped.error().message;
  ASSERT_EQ(stamped->size(), 1U);
  EXPECT_EQ(stamped->front().path, "a/b/file");
  const auto folders = find_folders(folder.path());
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->size(), 3U) << "a link back brings no other";
  EXPECT_FALSE(stamp_folder(folder.path("none")));
}

TEST(StampFolder, looks_into_no_folder_that_is_left_out) {
  const TestFolder folder;
  folder.write("a/b/file", "x");
  folder.write("c/file", "x");
  const SkipsFolder skips = [](std::string_view path) { return path == "a/b"; };
  std::vector<std::string> found;
  EXPECT_TRUE(stamp_each(
      folder.path(), [&](std::string_view path, const ChangeStamp&) { found.emplace_back(path); },
      skips));
  EXPECT_THAT(found, testing::ElementsAre("c/file"));
  const auto folders = find_folders(folder.path(), skips);
  ASSERT_TRUE(folders);
  EXPECT_EQ(folders->size(), 3U);
}

TEST(StampOf, nothing_is_no_error) {
  const TestFolder folder;
  folder.write("file", "x");
  EXPECT_FALSE(*change_stamp_of(folder.path("none")));
  EXPECT_FALSE(*change_stamp_of(folder.path("file/none")));
  EXPECT_FALSE(*change_stamp_of(folder.path()));
  EXPECT_TRUE(*change_stamp_of(folder.path("file")));
}

TEST(StampOf, another_write_gives_another_stamp) {
  const TestFolder folder;
  const std::string path = folder.write("file", "one");
  const ChangeStamp before = **change_stamp_of(path);
  const auto written = fs::last_write_time(path);
  folder.write("file", "four");
  fs::last_write_time(path, written);
  EXPECT_NE(**change_stamp_of(path), before);
}

TEST(ReadFiles, that_were_written_or_replaced_meanwhile_are_named) {
  const TestFolder folder;
  ReadFiles read;
  ASSERT_TRUE(read.add(folder.write("first", "one")));
  ASSERT_TRUE(read.add(folder.write("second", "two")));
  EXPECT_TRUE(read.check());
  std::this_thread::sleep_for(kLongerThanATick);
  folder.write("second", "too");  // of the same length as before
  EXPECT_THAT(read.check().error().message, HasSubstr("second"));
  fs::remove(folder.path("first"));
  EXPECT_THAT(read.check().error().message, HasSubstr("first"));
}

TEST(IsSettled, only_once_the_tick_it_was_written_in_is_over) {
  constexpr int64_t kSecond = 1'000'000'000;
  const ChangeStamp fine = {1, 0, 100 * kSecond + 5, 1};
  EXPECT_FALSE(is_settled(fine, 100 * kSecond + 6));
  EXPECT_TRUE(is_settled(fine, 101 * kSecond));
  // This is a file system that only keeps whole seconds.
  const ChangeStamp coarse = {1, 0, 100 * kSecond, 1};
  EXPECT_FALSE(is_settled(coarse, 101 * kSecond));
  EXPECT_TRUE(is_settled(coarse, 103 * kSecond));
  // The clock was set back.
  EXPECT_FALSE(is_settled(fine, 50 * kSecond));
}

}  // namespace
}  // namespace seekless
