#include "packer/serve/internal/cache_look.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "packer/host/descriptor.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

class Found final : public CacheFinds {
 public:
  void name(const std::string& path) override { names.insert(path); }
  void pages(const std::string& path, uint64_t, uint64_t count) override { counts[path] += count; }

  std::set<std::string> names;
  std::map<std::string, uint64_t> counts;
};

bool never() {
  return false;
}

// Files that were just written are in memory, and their names are known.
class CacheLookTest : public testing::Test {
 protected:
  CacheLookTest() {
    folder_.write("data/a", std::string(10'000, 'x'));
    folder_.write("data/inner/b", std::string(100, 'x'));
  }
  std::vector<std::string> folders() const { return {folder_.path()}; }

  TestFolder folder_;
};

TEST_F(CacheLookTest, tells_each_name_and_page_once) {
  CacheLook look(folder_.path(), folders());
  Found found;
  EXPECT_TRUE(look.look(found, true, never));
  EXPECT_EQ(found.names, (std::set<std::string>{"data", "data/a", "data/inner", "data/inner/b"}));
  EXPECT_EQ(found.counts, (std::map<std::string, uint64_t>{{"data/a", 3}, {"data/inner/b", 1}}));
  Found again;
  EXPECT_TRUE(look.look(again, true, never));
  EXPECT_TRUE(again.names.empty() && again.counts.empty());
}

TEST_F(CacheLookTest, tells_files_that_came_later) {
  CacheLook look(folder_.path(), folders());
  Found found;
  look.look(found, true, never);
  folder_.write("data/late", "x");
  const timespec old[2] = {{1, 0}, {1, 0}};
  ::utimensat(AT_FDCWD, folder_.path("data/late").c_str(), old, 0);
  Found later;
  look.look(later, true, never);
  EXPECT_EQ(later.counts, (std::map<std::string, uint64_t>{{"data/late", 1}}));
}

TEST_F(CacheLookTest, takes_nothing_that_was_written_meanwhile_for_read) {
  CacheLook look(folder_.path(), folders());
  const timespec soon[2] = {{0, UTIME_OMIT}, {::time(nullptr) + 5, 0}};
  ::utimensat(AT_FDCWD, folder_.path("data/a").c_str(), soon, 0);
  Found found;
  look.look(found, true, never);
  EXPECT_EQ(found.counts, (std::map<std::string, uint64_t>{{"data/inner/b", 1}}));
}

TEST_F(CacheLookTest, of_a_file_that_is_named_looks_at_nothing_beside_it) {
  folder_.write("data/beside", "x");
  CacheLook look(folder_.path("data"), std::vector{folder_.path("data/a")});
  Found found;
  look.look(found, true, never);
  EXPECT_EQ(found.names, (std::set<std::string>{"a"}));
  EXPECT_EQ(found.counts, (std::map<std::string, uint64_t>{{"a", 3}}));
}

TEST_F(CacheLookTest, leaves_out_what_is_to_be_ignored) {
  CacheLook look(folder_.path(), folders());
  look.ignore("data/a", 0, 8192);
  Found found;
  look.look(found, true, never);
  EXPECT_EQ(found.counts["data/a"], 1U);
}

TEST_F(CacheLookTest, follows_no_links_and_opens_no_pipes) {
  folder_.write("outside/c", "x");
  ASSERT_EQ(::symlink((folder_.path() + "/outside").c_str(), folder_.path("data/link").c_str()), 0);
  ASSERT_EQ(::mkfifo(folder_.path("data/pipe").c_str(), 0600), 0);
  CacheLook look(folder_.path("data"), std::vector{folder_.path("data")});
  Found found;
  look.look(found, true, never);
  EXPECT_EQ(found.names, (std::set<std::string>{"a", "inner", "inner/b"}));
}

TEST_F(CacheLookTest, leaves_the_time_of_the_last_access) {
  struct stat before = {};
  struct stat after = {};
  const timespec old[2] = {{1, 0}, {0, UTIME_OMIT}};
  ::utimensat(AT_FDCWD, folder_.path("data/a").c_str(), old, 0);
  ASSERT_EQ(::stat(folder_.path("data/a").c_str(), &before), 0);
  CacheLook look(folder_.path(), folders());
  Found found;
  look.look(found, true, never);
  ASSERT_EQ(::stat(folder_.path("data/a").c_str(), &after), 0);
  EXPECT_EQ(before.st_atim.tv_sec, after.st_atim.tv_sec);
}

TEST_F(CacheLookTest, of_a_huge_file_with_holes_nothing_is_told_and_no_memory_taken) {
  const std::string path = folder_.path("data/huge");
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (::ftruncate(file.get(), off_t{1} << 42) != 0) GTEST_SKIP() << "no such large files here";
  CacheLook look(folder_.path(), folders());
  Found found;
  EXPECT_TRUE(look.look(found, true, never));
  EXPECT_FALSE(found.counts.contains("data/huge"));
}

TEST_F(CacheLookTest, ends_early_if_it_takes_too_long) {
  CacheLook look(folder_.path(), folders());
  Found found;
  EXPECT_FALSE(look.look(found, true, [] { return true; }));
}

}  // namespace
}  // namespace seekless
