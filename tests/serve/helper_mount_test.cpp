#include "packer/serve/internal/helper_mount.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr const char* kMounts =
    "22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
    "90 28 0:52 / /home/me/My\\040Game rw,nosuid,nodev - fuse.seekless seekless rw,user_id=1\n"
    "91 28 0:53 / /home/me/twice rw - fuse.seekless seekless rw\n"
    "92 91 8:1 / /home/me/twice rw - ext4 /dev/sda1 rw\n";

TEST(ServedMount, is_the_topmost_at_its_place) {
  EXPECT_EQ(served_mount(kMounts, "/home/me/My Game"), "0:52");
  EXPECT_EQ(served_mount(kMounts, "/home/me/twice"), std::nullopt);
  EXPECT_EQ(served_mount(kMounts, "/sys"), std::nullopt);
  EXPECT_EQ(served_mount(kMounts, "/home/me"), std::nullopt);
  EXPECT_EQ(served_mount("", "/home/me"), std::nullopt);
}

}  // namespace
}  // namespace seekless
