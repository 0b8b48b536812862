// Tests that locks tell whether another process still uses a file that it opened or began.
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/leftovers.h"
#include "packer/host/pending_file.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

// The process that clears up may be in another container, where the writer's process number belongs
// to another process, or to none. So only a lock can tell that the writer lives.
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

TEST(Leftovers, go_also_where_nobody_may_write_to_them) {
  const TestFolder folder;
  const std::string path = folder.write(".seekless-0123456789abcdef.tmp", "");
  ASSERT_EQ(::chmod(path.c_str(), S_IRUSR), 0);
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(Leftovers, a_file_that_is_being_cleared_away_is_not_written_to) {
  const TestFolder folder;
  const std::string path = folder.write(".seekless-0123456789abcdef.tmp", "");
  const int writer = ::open(path.c_str(), O_RDWR);
  const int cleaner = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(cleaner, LOCK_EX | LOCK_NB), 0);
  const OpenFolder opened = OpenFolder::open(folder.path());
  const std::string name = ".seekless-0123456789abcdef.tmp";
  EXPECT_FALSE(keep_from_clearing(writer, opened, name));
  ::close(cleaner);
  EXPECT_TRUE(keep_from_clearing(writer, opened, name));
  ASSERT_TRUE(remove_leftovers(folder.path()));
  EXPECT_TRUE(fs::exists(path));
  fs::remove(path);
  EXPECT_FALSE(keep_from_clearing(writer, opened, name));
  ::close(writer);
}

}  // namespace
}  // namespace seekless
