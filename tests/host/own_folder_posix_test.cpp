#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/own_folder.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

mode_t rights_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

// The umask is 0, as a file server may have it.
class OwnFolder : public testing::Test {
 protected:
  OwnFolder() : mask_before_(::umask(0)) {}
  ~OwnFolder() override { ::umask(mask_before_); }

  const TestFolder folder_;

 private:
  mode_t mask_before_;
};

TEST_F(OwnFolder, what_is_made_is_the_user_s_alone_whatever_the_mask) {
  const std::string deep = folder_.path("a/b/c");
  ASSERT_TRUE(make_own_folders(deep));
  EXPECT_EQ(rights_of(folder_.path("a")), 0700u);
  EXPECT_EQ(rights_of(deep), 0700u);
  EXPECT_TRUE(make_own_folders(deep));
  ASSERT_TRUE(write_own_text(deep + "/file", "text"));
  EXPECT_EQ(rights_of(deep + "/file"), 0600u);
  EXPECT_EQ(read_own_text(deep + "/file", 4).value(), "text");
  EXPECT_FALSE(read_own_text(deep + "/file", 3));
  EXPECT_TRUE(check_own_folder(deep));
}

TEST_F(OwnFolder, a_file_that_others_could_read_is_replaced_by_one_that_they_cannot) {
  const std::string file = folder_.write("file", "old");
  ::chmod(file.c_str(), 0666);
  ASSERT_TRUE(write_own_text(file, "new"));
  EXPECT_EQ(rights_of(file), 0600u);
}

TEST_F(OwnFolder, where_others_may_write_nothing_is_the_user_s_own) {
  const std::string folder = folder_.path("state");
  ASSERT_TRUE(make_own_folders(folder));
  for (const mode_t mode : {0770U, 0720U, 0702U, 0777U}) {
    ::chmod(folder.c_str(), mode);
    EXPECT_THAT(check_own_folder(folder).error().message, HasSubstr("chmod")) << mode;
    EXPECT_FALSE(check_holding_folder(folder));
  }
  ::chmod(folder.c_str(), 0755);
  EXPECT_TRUE(check_own_folder(folder));
  close_to_others(folder);
  EXPECT_EQ(rights_of(folder), 0700u);
  ::chmod(folder.c_str(), 01777);  // the mode of /tmp
  EXPECT_TRUE(check_holding_folder(folder));
  EXPECT_FALSE(check_own_folder(folder));
}

TEST_F(OwnFolder, files_that_others_may_write_links_and_pipes_are_not_opened) {
  const std::string file = folder_.write("file", "text");
  ::chmod(file.c_str(), 0600);
  EXPECT_TRUE(open_own_file(file));
  ASSERT_EQ(::symlink("file", folder_.path("link").c_str()), 0);
  EXPECT_THAT(open_own_file(folder_.path("link")).error().message, HasSubstr("a link"));
  EXPECT_FALSE(open_own_file(folder_.make_pipe("pipe")));
  ::chmod(file.c_str(), 0620);
  EXPECT_THAT(open_own_file(file).error().message, HasSubstr("620"));
}

TEST_F(OwnFolder, a_link_to_a_folder_is_none) {
  ASSERT_TRUE(make_own_folders(folder_.path("real")));
  ASSERT_EQ(::symlink("real", folder_.path("link").c_str()), 0);
  EXPECT_THAT(check_own_folder(folder_.path("link")).error().message, HasSubstr("a link"));
  EXPECT_FALSE(check_holding_folder(folder_.path("link")));
}

TEST_F(OwnFolder, what_another_user_owns_is_none_of_ours) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving files away needs root";
  constexpr uid_t kAnother = 12345;
  const std::string folder = folder_.path("theirs");
  ASSERT_TRUE(make_own_folders(folder));
  ASSERT_TRUE(write_own_text(folder + "/file", "text"));
  ASSERT_EQ(::chown((folder + "/file").c_str(), kAnother, kAnother), 0);
  EXPECT_THAT(open_own_file(folder + "/file").error().message, HasSubstr("12345"));
  ASSERT_EQ(::chown(folder.c_str(), kAnother, kAnother), 0);
  EXPECT_THAT(check_own_folder(folder).error().message, HasSubstr("12345"));
  EXPECT_FALSE(check_holding_folder(folder));
  // The owner of a link on the path may change its target.
  ASSERT_TRUE(make_own_folders(folder_.path("real/state")));
  ASSERT_EQ(::symlink("real", folder_.path("led").c_str()), 0);
  EXPECT_TRUE(check_own_folder(folder_.path("led/state")));
  ASSERT_EQ(::lchown(folder_.path("led").c_str(), kAnother, kAnother), 0);
  EXPECT_THAT(check_own_folder(folder_.path("led/state")).error().message,
              HasSubstr("link of another user"));
}

}  // namespace
}  // namespace seekless
