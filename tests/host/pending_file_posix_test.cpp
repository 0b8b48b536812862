// Tests who may read a file that replaces another.
#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "packer/host/leftovers.h"
#include "packer/host/pending_file.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::string temporary_in(const std::string& folder) {
  for (const std::string& name : names_in(folder))
    if (is_temporary_name(name)) return folder + "/" + name;
  ADD_FAILURE() << "no temporary file in " << folder;
  return folder;
}

TEST(PendingFile, is_never_open_to_others_than_what_it_replaces) {
  const TestFolder folder;
  for (const mode_t mode : {0600U, 0640U, 0400U, 0604U, 0777U}) {
    const std::string path = folder.write("f", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    auto file = PendingFile::create(path, 8192);
    ASSERT_TRUE(file);
    file->bypass_cache();
    EXPECT_EQ(mode_of(temporary_in(folder.path())), 0600U);
    ASSERT_TRUE(file->append("new"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(mode_of(path), mode);
    fs::remove(path);
  }
}

TEST(PendingFile, takes_the_mode_of_the_file_that_one_in_a_folder_of_new_files_will_replace) {
  const TestFolder folder;
  folder.write("set/a.skl", "old");
  folder.write("source.zip", "old");
  ASSERT_EQ(::chmod(folder.path("set/a.skl").c_str(), 0600), 0);
  ASSERT_EQ(::chmod(folder.path("source.zip").c_str(), 0600), 0);
  fs::create_directory(folder.path("set/.seekless-new"));
  for (const auto& [path, replaced] :
       {std::pair(folder.path("set/.seekless-new/a.skl"), std::string()),
        std::pair(folder.path("set/.seekless-new/b.zip"), folder.path("source.zip"))}) {
    auto file = PendingFile::create(path, 0, replaced);
    ASSERT_TRUE(file);
    EXPECT_EQ(mode_of(temporary_in(folder.path("set/.seekless-new"))), 0600U);
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(mode_of(path), 0600U);
  }
}

TEST(PendingFile, of_a_new_file_has_the_mode_that_the_user_likes) {
  const TestFolder folder;
  const mode_t before = ::umask(027);
  auto file = PendingFile::create(folder.path("f"));
  ::umask(before);
  ASSERT_TRUE(file && file->commit());
  EXPECT_EQ(mode_of(folder.path("f")), 0640U);
}

}  // namespace
}  // namespace seekless
