#include "packer/host/leftovers.h"

#include <filesystem>
#include <set>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/pending_file.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

TEST(Leftovers, names_are_new_each_time_and_known_again) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = new_temporary_name().value();
    EXPECT_TRUE(is_temporary_name(name)) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 1000U);
  EXPECT_TRUE(is_temporary_name(".seekless-1234-5.tmp"));  // as earlier versions called theirs
  for (const char* name :
       {".seekless-.tmp", ".seekless--1.tmp", ".seekless-1-0.tmp2", "seekless-1-0.tmp",
        ".seekless-new", ".seekless-mine.tmp", ".seekless-a/b.tmp", ".tmp", ""})
    EXPECT_FALSE(is_temporary_name(name)) << name;
}

// Whoever clears up may be in another container, where the writer's number is somebody else's, or
// nobody's; so what tells them apart can't be a number.
TEST(Leftovers, stay_while_their_writer_runs_and_go_when_it_was_killed) {
  const TestFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t writer = ::fork();
  if (writer == 0) {
    auto file = PendingFile::create(folder.path("f"), 4096);
    const char byte = file ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_EQ(names_in(folder.path()).size(), 1U);
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  EXPECT_EQ(names_in(folder.path()).size(), 1U);
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(Leftovers, a_file_that_is_being_cleared_away_is_not_written_to) {
  const TestFolder folder;
  const std::string path = folder.write(".seekless-0123456789abcdef.tmp", "");
  const int writer = ::open(path.c_str(), O_RDWR);
  const int cleaner = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(cleaner, LOCK_EX | LOCK_NB), 0);
  EXPECT_FALSE(keep_from_clearing(writer, path));
  ::close(cleaner);
  EXPECT_TRUE(keep_from_clearing(writer, path));
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_TRUE(fs::exists(path));
  fs::remove(path);
  EXPECT_FALSE(keep_from_clearing(writer, path));
  ::close(writer);
}

TEST(Leftovers, nothing_else_is_removed_nor_anything_through_a_link) {
  const TestFolder folder;
  const std::string mine = folder.write("mine", "mine");
  folder.write("a/.seekless-12-0.tmp", "mine");
  folder.write(".seekless-12-0.tmp2", "mine");
  folder.write(".seekless-12-0.tmp", "half");
  fs::create_directory(folder.path(".seekless-13-0.tmp"));
  fs::create_symlink("mine", folder.path(".seekless-14-0.tmp"));
  ASSERT_EQ(::mkfifo(folder.path(".seekless-15-0.tmp").c_str(), 0600), 0);
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), testing::UnorderedElementsAre(
                                           "mine", "a", ".seekless-12-0.tmp2", ".seekless-13-0.tmp",
                                           ".seekless-14-0.tmp", ".seekless-15-0.tmp"));
  EXPECT_TRUE(fs::exists(folder.path("a/.seekless-12-0.tmp")));
  EXPECT_TRUE(fs::exists(mine));
}

TEST(Leftovers, no_folder_is_no_error) {
  const TestFolder folder;
  EXPECT_TRUE(remove_leftovers(folder.path("none")));
}

}  // namespace
}  // namespace seekless
