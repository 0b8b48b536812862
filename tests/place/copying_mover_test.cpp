// Tests that a file replaced by its copy keeps everything but its number, and that a file that
// can't be copied so stays.
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/place/internal/movers.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"
#include "tests/place/trusted_file_system.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CopyingMoverTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!tells_who_has_files_open(folder_.path())) GTEST_SKIP() << kUntold;
    path_ = folder_.write("file", std::string(300'000, 'x'));
  }

  // Returns true if the file was moved. Messages go to warnings_.
  bool move() {
    warnings_.clear();
    auto room = mover_.reserve({{.path = path_, .size_bytes = 300'000, .extents = {}}});
    const auto moved = (*room)->move(0);
    EXPECT_TRUE(moved) << moved.error().message;
    EXPECT_THAT(names_in(folder_.path()), Not(testing::Contains(testing::HasSubstr(".seekless"))));
    return moved && *moved;
  }
  struct stat status() const {
    struct stat found = {};
    EXPECT_EQ(::lstat(path_.c_str(), &found), 0);
    return found;
  }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TestFolder folder_;
  std::string path_;
  std::vector<std::string> warnings_;
  Mover mover_ =
      make_copying_mover([this](std::string_view text) { warnings_.emplace_back(text); });
};

TEST_F(CopyingMoverTest, keeps_permissions_attributes_and_times) {
  ASSERT_EQ(::chmod(path_.c_str(), 06751), 0);
  ASSERT_EQ(::setxattr(path_.c_str(), "user.kept", "yes", 3, 0), 0);
  const std::array<timespec, 2> times = {timespec{5, 6}, timespec{978'307'200, 123'456'789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times.data(), 0), 0);
  const struct stat before = status();
  ASSERT_TRUE(move());
  const struct stat after = status();
  EXPECT_NE(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_mtim.tv_sec, 978'307'200);
  EXPECT_EQ(after.st_mtim.tv_nsec, 123'456'789);
  EXPECT_EQ(after.st_atim.tv_sec, 5);
  std::array<char, 4> value = {};
  EXPECT_EQ(::getxattr(path_.c_str(), "user.kept", value.data(), value.size()), 3);
  EXPECT_EQ(bytes(), std::string(300'000, 'x'));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CopyingMoverTest, keeps_an_access_list_and_gives_none_that_the_folder_gives_to_new_files) {
  // The list has version 2, the owner, a user, the group, the mask and all others.
  constexpr auto list_of = [](char rights) {
    const auto entry = [](char tag, char may, std::string id) {
      return std::string{tag, '\0', may, '\0'} + std::move(id);
    };
    const std::string none(4, '\xff');
    return std::string("\2\0\0\0", 4) + entry(1, 6, none) +
           entry(2, rights, std::string("\x39\x30\0\0", 4)) + entry(4, 4, none) +
           entry(0x10, 6, none) + entry(0x20, 4, none);
  };
  const std::string kept = list_of(4);
  const std::string given = list_of(6);
  if (::setxattr(path_.c_str(), "system.posix_acl_access", kept.data(), kept.size(), 0) != 0)
    GTEST_SKIP() << "the temporary folder's file system has no access lists";
  ASSERT_EQ(
      ::setxattr(folder_.path().c_str(), "system.posix_acl_default", given.data(), given.size(), 0),
      0);
  const mode_t mode = status().st_mode;
  ASSERT_TRUE(move());
  std::array<char, 256> found = {};
  ssize_t size = ::getxattr(path_.c_str(), "system.posix_acl_access", found.data(), found.size());
  ASSERT_GT(size, 0);
  EXPECT_EQ(std::string(found.data(), static_cast<size_t>(size)), kept);
  EXPECT_EQ(status().st_mode, mode);

  ASSERT_EQ(::removexattr(path_.c_str(), "system.posix_acl_access"), 0);
  ASSERT_TRUE(move());
  size = ::getxattr(path_.c_str(), "system.posix_acl_access", found.data(), found.size());
  EXPECT_LE(size, 0);
}

int flags_of(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  int flags = -1;
  return ::ioctl(file.get(), FS_IOC_GETFLAGS, &flags) == 0 ? flags : -1;
}

TEST_F(CopyingMoverTest, keeps_flags) {
  int flags = flags_of(path_);
  if (flags < 0) GTEST_SKIP() << "the temporary folder's file system has no flags";
  {
    const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    flags |= FS_NODUMP_FL;
    ASSERT_EQ(::ioctl(file.get(), FS_IOC_SETFLAGS, &flags), 0);
  }
  ASSERT_TRUE(move());
  EXPECT_EQ(flags_of(path_), flags);
}

TEST_F(CopyingMoverTest, keeps_holes) {
  ASSERT_EQ(::truncate(path_.c_str(), 4 << 20), 0);
  { std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out).seekp(3 << 20) << "y"; }
  const std::string before = bytes();
  ASSERT_TRUE(move());
  EXPECT_EQ(status().st_size, 4 << 20);
  EXPECT_LT(status().st_blocks, 1024);
  EXPECT_EQ(bytes(), before);
}

TEST_F(CopyingMoverTest, what_somebody_has_open_stays) {
  for (const int access : {O_RDONLY, O_WRONLY | O_APPEND, O_RDWR}) {
    const Descriptor other(::open(path_.c_str(), access | O_CLOEXEC));
    EXPECT_FALSE(move());
    EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is open in another program")));
  }
  EXPECT_TRUE(move());
}

TEST_F(CopyingMoverTest, what_has_several_names_stays_and_says_so) {
  ASSERT_EQ(::link(path_.c_str(), folder_.path("twin").c_str()), 0);
  EXPECT_FALSE(move());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("has 2 names")));
}

TEST_F(CopyingMoverTest, does_not_wait_for_a_pipe_that_took_the_name) {
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  folder_.make_pipe("file");
  EXPECT_FALSE(move());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("a regular file")));
}

TEST_F(CopyingMoverTest, follows_no_link_that_took_the_name_of_a_file_or_folder) {
  const std::string other = folder_.write("other/file", "what the link leads to");
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  ASSERT_EQ(::symlink(other.c_str(), path_.c_str()), 0);
  EXPECT_FALSE(move());
  ASSERT_EQ(::symlink("other", folder_.path("link").c_str()), 0);
  path_ = folder_.path("link/file");
  EXPECT_FALSE(move());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("link")));
}

TEST_F(CopyingMoverTest, what_is_gone_is_said_and_nothing_made_of_it) {
  ASSERT_EQ(::unlink(path_.c_str()), 0);
  EXPECT_FALSE(move());
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("stays where it is")));
  EXPECT_THAT(names_in(folder_.path()), IsEmpty());
}

// A program that opens the file at any moment must write into the file that has its name in the
// end.
TEST_F(CopyingMoverTest, nothing_is_lost_of_what_is_written_meanwhile) {
  std::atomic<bool> ends = false;
  std::string written;
  std::thread writer([&] {
    for (int i = 0; !ends; ++i) {
      const std::string line = std::to_string(i) + "\n";
      const Descriptor file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
      ASSERT_EQ(::write(file.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
      written += line;
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 40));
    }
  });
  for (int i = 0; i < 30; ++i) move();
  ends = true;
  writer.join();
  EXPECT_EQ(bytes(), std::string(300'000, 'x') + written);
}

}  // namespace
}  // namespace seekless
