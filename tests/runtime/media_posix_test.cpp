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

}  // namespace
}  // namespace seekless::runtime
