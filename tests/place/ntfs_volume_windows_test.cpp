// Tests how Windows' errors are told. Wine has no NTFS, so only refusals of its drives can be seen.
#include "packer/place/internal/ntfs_volume_windows.h"

#include <cerrno>

#include <gmock/gmock.h>
#include <windows.h>

namespace seekless {
namespace {

using testing::EndsWith;

TEST(NtfsErrors, of_the_device_alone_are_such) {
  for (const uint32_t number : {ERROR_CRC, ERROR_IO_DEVICE, ERROR_NOT_READY})
    EXPECT_EQ(ntfs_error_of(number).os_error, EIO) << number;
  EXPECT_EQ(ntfs_error_of(ERROR_DISK_FULL).os_error, ENOSPC);
  EXPECT_EQ(ntfs_error_of(ERROR_WRITE_PROTECT).os_error, EROFS);
  for (const uint32_t number : {ERROR_FILE_CORRUPT, ERROR_CANT_ACCESS_FILE, ERROR_RETRY})
    EXPECT_EQ(ntfs_error_of(number).os_error, 0) << number;
}

TEST(NtfsErrors, tell_the_number) {
  EXPECT_THAT(ntfs_error_of(ERROR_FILE_CORRUPT).text, EndsWith("(error 1392)"));
}

// Everybody may ask: Wine opens the root folder, and refuses only the question.
TEST(NtfsVolumes, are_opened_by_their_root_folder_to_ask) {
  const auto volume = open_ntfs_volume("C:/", VolumeAccess::ask);
  ASSERT_TRUE(volume) << volume.error().text;
  const auto layout = (*volume)->layout();
  if (layout) GTEST_SKIP() << "a real NTFS";
  EXPECT_TRUE(layout.error().os_error == EINVAL || layout.error().os_error == ENOTSUP)
      << layout.error().text;
}

}  // namespace
}  // namespace seekless
