#include "packer/serve/internal/drive_activity.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

class DriveActivity : public testing::Test {
 protected:
  // Returns the number that the system gives the drive of the folder's files.
  std::string number() const {
    struct stat status = {};
    ::stat(folder_.path().c_str(), &status);
    return std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev));
  }
  void link(const std::string& to) const {
    std::filesystem::create_directories(folder_.path("dev/block"));
    std::filesystem::create_symlink(folder_.path(to), folder_.path("dev/block/" + number()));
  }
  auto transfers() const { return transfers_of(std::vector{folder_.path()}, folder_.path()); }

  TestFolder folder_;
};

TEST_F(DriveActivity, counts_reads_writes_and_what_waits) {
  folder_.write("sda/stat", "   10 1 2 3   20 4 5 6   7 8 9\n");
  link("sda");
  EXPECT_EQ(transfers(), (DriveTransfers{30, 7}));
}

TEST_F(DriveActivity, is_that_of_the_whole_drive) {
  folder_.write("sda/stat", "10 1 2 3 20 4 5 6 7 8 9\n");
  folder_.write("sda/sda1/stat", "1 1 2 3 1 4 5 6 0 8 9\n");
  folder_.write("sda/sda1/partition", "1\n");
  link("sda/sda1");
  EXPECT_EQ(transfers(), (DriveTransfers{30, 7}));
}

TEST_F(DriveActivity, of_several_folders_counts_each_drive_once) {
  folder_.write("sda/stat", "10 1 2 3 20 4 5 6 7 8 9\n");
  link("sda");
  const std::vector paths = {folder_.path(), folder_.path("sda"), folder_.path("nowhere")};
  EXPECT_EQ(transfers_of(paths, folder_.path()), (DriveTransfers{30, 7}));
}

TEST_F(DriveActivity, that_nobody_counts_is_none) {
  EXPECT_EQ(transfers(), std::nullopt);
  folder_.write("sda/stat", "10 1 2 3 twenty\n");
  link("sda");
  EXPECT_EQ(transfers(), std::nullopt);
  EXPECT_EQ(transfers_of(std::vector{folder_.path("nowhere")}, folder_.path()), std::nullopt);
}

TEST_F(DriveActivity, others_have_read_what_the_drive_counts_beyond_this_process) {
  const auto count = [&](int sectors, int own_bytes) {
    folder_.write("sda/stat", "1 0 " + std::to_string(sectors) + " 0 0 0 0 0 0\n");
    folder_.write("io", "rchar: 9\nwchar: 9\nread_bytes: " + std::to_string(own_bytes) + "\n");
  };
  count(100, 0);
  link("sda");
  OthersReads others(std::vector{folder_.path()}, folder_.path(), folder_.path("io"));
  EXPECT_FALSE(others.have_come());
  count(100, 8192);  // its own reads, still under way
  EXPECT_FALSE(others.have_come());
  count(116, 8192);
  EXPECT_FALSE(others.have_come());
  count(124, 8192);
  EXPECT_TRUE(others.have_come());
  EXPECT_FALSE(others.have_come());
}

TEST_F(DriveActivity, where_nobody_counts_no_others_come) {
  OthersReads nowhere(std::vector{folder_.path("nowhere")}, folder_.path(), folder_.path("io"));
  EXPECT_FALSE(nowhere.have_come());
}

TEST_F(DriveActivity, is_busy_for_others_by_their_part_of_the_bytes) {
  folder_.write("sda/stat", "1 0 100 0 0 0 0 0 0 1000 0\n");
  folder_.write("io", "read_bytes: 0\n");
  link("sda");
  OthersReads reads(std::vector{folder_.path()}, folder_.path(), folder_.path("io"));
  folder_.write("sda/stat", "2 0 140 0 0 0 0 0 0 3000 0\n");  // 40 sectors in 2 s
  folder_.write("io", "read_bytes: 5120\n");                  // 10 of them are its own
  EXPECT_DOUBLE_EQ(reads.busy_s(), 1.5);
  EXPECT_DOUBLE_EQ(reads.busy_s(), 0);
}

}  // namespace
}  // namespace seekless
