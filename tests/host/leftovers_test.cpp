#include "packer/host/leftovers.h"

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

// The id of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(Leftovers, only_those_of_writers_that_run_no_more_are_removed) {
  const TestFolder folder;
  const pid_t ended = ended_process();
  folder.write(fmt::format(".seekless-{}-0.tmp", ended), "half");
  folder.write(fmt::format(".seekless-{}-12.tmp", ended), "half");
  const std::vector<std::string> kept = {fmt::format(".seekless-{}-0.tmp", ::getpid()),
                                         fmt::format(".seekless-{}-0.tmp2", ended),
                                         fmt::format("seekless-{}-0.tmp", ended),
                                         ".seekless--0.tmp",
                                         ".seekless-0-0.tmp",
                                         "a/" + fmt::format(".seekless-{}-0.tmp", ended)};
  for (const std::string& name : kept) folder.write(name, "mine");
  ASSERT_TRUE(remove_leftovers(folder.path()));
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder.path(name))) << name;
  EXPECT_FALSE(fs::exists(folder.path(fmt::format(".seekless-{}-0.tmp", ended))));
  EXPECT_FALSE(fs::exists(folder.path(fmt::format(".seekless-{}-12.tmp", ended))));
}

TEST(Leftovers, no_folder_is_no_error) {
  const TestFolder folder;
  EXPECT_TRUE(remove_leftovers(folder.path("none")));
}

}  // namespace
}  // namespace seekless
