#include "packer/serve/internal/few_open.h"

#include <memory>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(FewOpen, closes_what_was_not_used_for_longest) {
  FewOpen<std::unique_ptr<int>> open(2);
  EXPECT_EQ(open.find(1), nullptr);
  open.add(1, std::make_unique<int>(11));
  open.add(2, std::make_unique<int>(22));
  ASSERT_NE(open.find(1), nullptr);
  open.add(3, std::make_unique<int>(33));
  EXPECT_EQ(open.find(2), nullptr);
  EXPECT_EQ(**open.find(1), 11);
  EXPECT_EQ(**open.find(3), 33);
}

}  // namespace
}  // namespace seekless
