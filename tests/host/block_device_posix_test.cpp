// Tests which drive files lie on, with made-up trees of /sys in Linux's form.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "packer/host/block_device.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BlockDevices : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "dev" / "block");
    write(root_ / "mounts", "");
  }

  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  // `flag` is the content of queue/rotational; if it is empty, there is no such file.
  fs::path disk(const std::string& name, const std::string& number, const std::string& flag) {
    const fs::path folder = root_ / "devices" / name;
    write(folder / "dev", number);
    write(folder / "size", "1953525168");
    if (!flag.empty()) write(folder / "queue" / "rotational", flag);
    fs::create_directories(folder / "slaves");
    fs::create_directory_symlink(folder, root_ / "dev" / "block" / number);
    return folder;
  }

  FoundDrive of(unsigned of_driver, unsigned number) const {
    return drive_of_device(makedev(of_driver, number), root_, root_ / "mounts");
  }

  const TestFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(BlockDevices, a_disk_says_what_it_is) {
  write(disk("sda", "8:0", "1") / "device" / "model", "WDC WD10EZEX-00  ");
  const FoundDrive drive = of(8, 0);
  EXPECT_EQ(drive.is_rotational, true);
  EXPECT_EQ(drive.description, "sda, WDC WD10EZEX-00, 1.0 TB, says that it is rotational");
}

TEST_F(BlockDevices, a_partition_is_its_disk) {
  const fs::path folder = disk("nvme0n1", "259:0", "0");
  write(folder / "nvme0n1p2" / "partition", "2");
  fs::create_directory_symlink(folder / "nvme0n1p2", root_ / "dev" / "block" / "259:2");
  EXPECT_EQ(of(259, 2).is_rotational, false);
  EXPECT_THAT(of(259, 2).description, HasSubstr("nvme0n1, 1.0 TB, says that it isn't rotational"));
}

TEST_F(BlockDevices, a_mapped_device_is_what_it_lies_on_and_seeks_if_one_does) {
  const fs::path fast = disk("nvme0n1", "259:0", "0");
  const fs::path slow = disk("sdb", "8:16", "1");
  const fs::path mapped = disk("dm-0", "253:0", "0");
  fs::create_directory_symlink(fast, mapped / "slaves" / "nvme0n1");
  fs::create_directory_symlink(slow, mapped / "slaves" / "sdb");
  EXPECT_EQ(of(253, 0).is_rotational, true);
  EXPECT_THAT(of(253, 0).description, HasSubstr("sdb"));
}

TEST_F(BlockDevices, a_loop_device_is_where_its_file_lies) {
  write(root_ / "image", "");
  write(disk("loop0", "7:0", "0") / "loop" / "backing_file", root_ / "image");
  // The file lies on a real device, which these trees don't know.
  EXPECT_EQ(of(7, 0).is_rotational, std::nullopt);
  EXPECT_EQ(of(7, 0).description, "the system knows no drive of its files");
}

TEST_F(BlockDevices, what_has_no_device_is_named_by_its_file_system) {
  write(root_ / "mounts", "31 1 0:21 / /home rw,relatime shared:1 - overlay overlay rw");
  EXPECT_EQ(of(0, 21).is_rotational, std::nullopt);
  EXPECT_EQ(of(0, 21).description, "it lies on overlay, which names no drive");
}

TEST_F(BlockDevices, files_in_memory_are_told) {
  write(
      root_ / "mounts",
      "27 1 0:23 / /dev/shm rw,nosuid - tmpfs tmpfs rw\n31 1 0:21 / /home rw - overlay overlay rw");
  EXPECT_TRUE(of(0, 23).is_in_memory);
  EXPECT_FALSE(of(0, 21).is_in_memory);
}

TEST_F(BlockDevices, files_of_another_machine_are_told) {
  write(root_ / "mounts", "36 35 0:44 / /mnt rw - nfs4 server:/games rw");
  EXPECT_TRUE(of(0, 44).is_on_network);
  EXPECT_EQ(of(0, 44).is_rotational, std::nullopt);
}

TEST_F(BlockDevices, the_table_tells_of_a_network_without_asking_it) {
  write(root_ / "mounts",
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "2 1 0:44 / /mnt/my\\040games rw - fuse.sshfs server: rw\n"
        "3 2 8:2 / /mnt/my\\040games/local rw - ext4 /dev/sda2 rw\n"
        "broken\n4 1 0:45 /");
  const std::string mounts = root_ / "mounts";
  EXPECT_TRUE(lies_on_network("/mnt/my games/a/b", mounts));
  EXPECT_TRUE(lies_on_network("/mnt/x/../my games", mounts));
  EXPECT_FALSE(lies_on_network("/mnt/my games2", mounts));
  EXPECT_FALSE(lies_on_network("/mnt/my games/local/a", mounts));
  EXPECT_FALSE(lies_on_network("/mnt/my games", root_ / "missing"));
}

TEST_F(BlockDevices, devices_in_a_circle_end) {
  const fs::path one = disk("dm-0", "253:0", "1");
  const fs::path two = disk("dm-1", "253:1", "1");
  fs::create_directory_symlink(two, one / "slaves" / "dm-1");
  fs::create_directory_symlink(one, two / "slaves" / "dm-0");
  EXPECT_EQ(of(253, 0).is_rotational, std::nullopt);
}

TEST_F(BlockDevices, a_flag_that_is_missing_says_nothing) {
  disk("xda", "240:0", "");
  EXPECT_EQ(of(240, 0).is_rotational, std::nullopt);
  EXPECT_THAT(of(240, 0).description, HasSubstr("doesn't say"));
}

TEST_F(BlockDevices, a_path_that_is_yet_to_be_made_lies_where_its_folder_does) {
  EXPECT_EQ(drive_of_path(root_ / "new" / "folder").description, drive_of_path(root_).description);
}

}  // namespace
}  // namespace seekless
