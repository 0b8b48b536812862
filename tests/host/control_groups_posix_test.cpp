#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "packer/host/control_groups.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

class ControlGroups : public testing::Test {
 protected:
  void allow(const std::string& file, const std::string& limit) {
    const std::filesystem::path path = folder_.path(file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << limit << "\n";
  }
  uint64_t allowed(const std::string& groups) {
    std::istringstream lines(groups);
    return allowed_memory_bytes(lines, folder_.path());
  }

  uint64_t new_tasks(const std::string& groups) {
    std::istringstream lines(groups);
    return allowed_new_tasks(lines, folder_.path());
  }

  TestFolder folder_;
};

TEST_F(ControlGroups, count_with_all_those_above) {
  allow("user.slice/memory.max", "3000");
  allow("user.slice/game.scope/memory.max", "max");
  EXPECT_EQ(allowed("0::/user.slice/game.scope\n"), 3000U);
  allow("user.slice/game.scope/memory.max", "2000");
  EXPECT_EQ(allowed("0::/user.slice/game.scope\n"), 2000U);
  EXPECT_EQ(allowed("0::/\n"), UINT64_MAX);
}

TEST_F(ControlGroups, of_a_container_are_where_it_sees_them) {
  allow("memory.max", "1000");
  EXPECT_EQ(allowed("0::/that/only/the/host/sees\n"), 1000U);
}

TEST_F(ControlGroups, of_the_older_kind_have_memory_apart) {
  allow("memory/memory.limit_in_bytes", "9223372036854771712");
  allow("memory/games/memory.limit_in_bytes", "5000");
  allow("cpu/games/memory.limit_in_bytes", "7");
  EXPECT_EQ(allowed("12:cpu:/games\n11:memory:/games\n0::/\n"), 5000U);
}

TEST_F(ControlGroups, count_the_tasks_that_are_there) {
  allow("user.slice/pids.max", "100");
  allow("user.slice/pids.current", "90");
  allow("user.slice/game.scope/pids.max", "50");
  allow("user.slice/game.scope/pids.current", "3");
  EXPECT_EQ(new_tasks("0::/user.slice/game.scope\n"), 10U);
  allow("user.slice/pids.current", "20");
  EXPECT_EQ(new_tasks("0::/user.slice/game.scope\n"), 47U);
  allow("user.slice/game.scope/pids.current", "51");
  EXPECT_EQ(new_tasks("0::/user.slice/game.scope\n"), 0U);
  allow("pids/games/pids.max", "7");
  allow("pids/games/pids.current", "2");
  EXPECT_EQ(new_tasks("8:pids:/games\n0::/\n"), 5U);
}

TEST_F(ControlGroups, that_nobody_made_allow_everything) {
  EXPECT_EQ(allowed(""), UINT64_MAX);
  EXPECT_EQ(new_tasks("8:pids:/games\n0::/\n"), UINT64_MAX);
  EXPECT_EQ(allowed("nonsense\n0:\n:memory:\n0::\n"), UINT64_MAX);
}

}  // namespace
}  // namespace seekless
