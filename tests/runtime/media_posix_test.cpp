#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "runtime/media.h"
#include "tests/content/test_folder.h"

namespace seekless::runtime {
namespace {

TEST(Media, asks_the_system) {
  TestFolder folder;
  const uint64_t device = makedev(8, 17);
  EXPECT_EQ(says_rotational(device, folder.path("")), std::nullopt);
  std::filesystem::create_directories(folder.path("8:16/queue"));
  std::filesystem::create_directories(folder.path("8:16/sdb1"));
  std::filesystem::create_directory_symlink(folder.path("8:16/sdb1"), folder.path("8:17"));
  std::ofstream(folder.path("8:16/queue/rotational")) << "0\n";
  EXPECT_EQ(says_rotational(makedev(8, 16), folder.path("")), false);
  EXPECT_EQ(says_rotational(device, folder.path("")), false) << "a partition is like its disk";
  std::ofstream(folder.path("8:16/queue/rotational")) << "1\n";
  EXPECT_EQ(says_rotational(device, folder.path("")), true);
}

TEST(Media, hints_and_windows_are_as_long_as_the_device_obeys) {
  const TestFolder folder;
  const uint64_t disk = makedev(8, 16);
  const std::string system_folder = folder.path("");
  const auto longest_kib = [&](uint64_t device) {
    return read_ahead_of(device, system_folder.c_str()).longest_hint_bytes >> 10;
  };
  const auto window_kib = [&](uint64_t device) {
    return read_ahead_of(device, system_folder.c_str()).window_bytes >> 10;
  };
  EXPECT_EQ(longest_kib(disk), 128) << "nothing is known";
  EXPECT_EQ(window_kib(disk), 0) << "nothing is known";
  std::filesystem::create_directories(folder.path("8:16/queue"));
  std::filesystem::create_directories(folder.path("8:16/sdb1"));
  std::filesystem::create_directory_symlink(folder.path("8:16/sdb1"), folder.path("8:17"));
  const auto set = [&](const char* name, const char* value) {
    std::ofstream(folder.path("8:16/queue/") + name) << value;
  };
  set("read_ahead_kb", "128\n");
  set("max_sectors_kb", "1280\n");
  EXPECT_EQ(longest_kib(disk), 1280);
  EXPECT_EQ(longest_kib(makedev(8, 17)), 1280) << "a partition is like its disk";
  EXPECT_EQ(window_kib(makedev(8, 17)), 1024) << "reads of 1 MiB aren't cut";
  set("max_sectors_kb", "120\n");
  EXPECT_EQ(window_kib(disk), 128);
  set("read_ahead_kb", "0\n");
  EXPECT_EQ(window_kib(disk), 0) << "it doesn't read ahead";
  set("read_ahead_kb", "2048\n");
  EXPECT_EQ(longest_kib(disk), 2048);
  EXPECT_EQ(window_kib(disk), 2048);
  set("read_ahead_kb", "99999999999999999999\n");
  EXPECT_EQ(longest_kib(disk), 4096);
  set("read_ahead_kb", "no number\n");
  set("max_sectors_kb", "0\n");
  EXPECT_EQ(longest_kib(disk), 128);
}

}  // namespace
}  // namespace seekless::runtime
