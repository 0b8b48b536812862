// Tests that a file that can't be flushed isn't a failure to write.
#include <array>
#include <cerrno>

#include <gtest/gtest.h>
#include <unistd.h>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"

namespace seekless {
namespace {

TEST(Flush, of_what_has_nothing_to_flush_succeeds) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Descriptor out(ends[0]);
  const Descriptor into(ends[1]);
  ASSERT_EQ(::fsync(into.get()), -1);
  ASSERT_EQ(errno, EINVAL);
  EXPECT_EQ(calls::flush(into.get()), 0);
}

TEST(Flush, of_a_file_system_without_it_succeeds) {
  EXPECT_TRUE(sync_folder("/proc"));
  EXPECT_TRUE(sync_file("/proc/version"));
  EXPECT_TRUE(sync_file_system("/proc"));
}

TEST(Flush, that_fails_is_told_of) {
  EXPECT_NE(calls::flush(-1), 0);
  EXPECT_FALSE(sync_folder("/nowhere"));
  EXPECT_FALSE(sync_file("/nowhere/file"));
}

}  // namespace
}  // namespace seekless
