#include "packer/content/path_pool.h"

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

// A view of memory that others may free must not even compile.
static_assert(!std::is_convertible_v<std::string, PooledPath>);
static_assert(!std::is_constructible_v<PooledPath, std::string>);
static_assert(!std::is_constructible_v<PooledPath, const char*>);

TEST(PathPool, keeps_paths_where_they_are_however_many_follow) {
  PathPool pool;
  std::vector<PooledPath> paths;
  for (int i = 0; i < 10'000; ++i) paths.push_back(pool.add("folder/" + std::to_string(i)));
  const char* const first = paths.front().data();
  pool.add(std::string(100'000, 'x'));
  EXPECT_EQ(paths.front().data(), first);
  for (size_t i = 0; i < paths.size(); ++i) ASSERT_EQ(paths[i], "folder/" + std::to_string(i));
}

TEST(PathPool, copies_keep_the_bytes_when_the_first_is_gone) {
  PathPool copy;
  PooledPath path;
  {
    PathPool pool;
    path = pool.add(std::string("a/b"));
    copy = pool;
  }
  EXPECT_EQ(path, "a/b");
  EXPECT_EQ(copy.add("c"), "c");
}

TEST(PathPool, takes_an_empty_path) {
  PathPool pool;
  EXPECT_EQ(pool.add(""), "");
}

TEST(PooledPath, gives_its_end_as_a_view_of_the_same_bytes) {
  PathPool pool;
  const PooledPath whole = pool.add("root/a/b");
  const PooledPath end = whole.without_front(5);
  EXPECT_EQ(end, "a/b");
  EXPECT_EQ(end.data(), whole.data() + 5);
  EXPECT_EQ(whole.without_front(8), "");
}

}  // namespace
}  // namespace seekless
