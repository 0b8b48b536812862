#include "packer/base/paths.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

using Folders = std::vector<std::string>;

TEST(Paths, the_outermost_are_each_there_once) {
  EXPECT_EQ(outermost({"/a", "/b"}), (Folders{"/a", "/b"}));
  EXPECT_EQ(outermost({"/a", "/a"}), Folders{"/a"});
  EXPECT_EQ(outermost({"/a", "/a/b/c"}), Folders{"/a"});
  EXPECT_EQ(outermost({"/a/b", "/x", "/a/c", "/a"}), (Folders{"/x", "/a"}));
  EXPECT_EQ(outermost({"/a", "/ab"}), (Folders{"/a", "/ab"}));
  EXPECT_EQ(outermost({}), Folders{});
}

}  // namespace
}  // namespace seekless
