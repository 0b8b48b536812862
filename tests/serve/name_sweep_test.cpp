#include "packer/serve/internal/name_sweep.h"

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

const std::vector<LearnedName> kNames = {{"a/b/c"},   {"a/b/d"},  {"e"},    {"a/f"},
                                         {"gone/g"},  {"a/gone"}, {""},     {"a//b"},
                                         {"a/b/", 5}, {"/", 7},   {"gone/"}};

TEST(NameSweep, takes_names_that_are_gone_or_odd) {
  const TestFolder folder;
  for (const char* path : {"a/b/c", "a/b/d", "e", "a/f"}) folder.write(path, "x");
  fetch_names(folder.path(), kNames, [] { return false; });
  fetch_names(folder.path("nowhere"), kNames, [] { return false; });
}

TEST(NameSweep, ends_once_it_is_over) {
  const TestFolder folder;
  for (int i = 0; i < 50; ++i) folder.write("f" + std::to_string(i), "x");
  std::vector<LearnedName> names;
  for (int i = 0; i < 50; ++i) names.push_back({"f" + std::to_string(i)});
  int asked = 0;
  fetch_names(folder.path(), names, [&] { return ++asked > 5; });
  EXPECT_LE(asked, 8);
}

}  // namespace
}  // namespace seekless
