#include "packer/trace/internal/line_pattern.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

bool is_like(std::string_view pattern, std::string_view line) {
  return match_line(pattern, line).has_value();
}

TEST(LinePattern, the_whole_line_has_to_be_like_it) {
  EXPECT_TRUE(is_like("total %d", "total 12"));
  EXPECT_FALSE(is_like("total %d", "total 12 "));
  EXPECT_FALSE(is_like("total %d", "a total 12"));
  EXPECT_FALSE(is_like("total %d", ""));
  EXPECT_FALSE(is_like("%P", ""));
  EXPECT_TRUE(is_like("%*", ""));
  EXPECT_TRUE(is_like("", ""));
  EXPECT_FALSE(is_like("", "a"));
}

TEST(LinePattern, anything_may_stand_where_anything_is_said) {
  EXPECT_TRUE(is_like("%*<Event %*", "<<Event MSec=1"));
  EXPECT_TRUE(is_like("%*<Event %*", "<Event "));
  EXPECT_FALSE(is_like("%*<Event %*", "<Event"));
  EXPECT_TRUE(is_like("%*%d %w%sCALL%s%i(%*", "12 34 5 game CALL  open(1)"));
  EXPECT_FALSE(is_like("%*%d %w%sCALL%s%i(%*", "12 34 5 game NAMI  open(1)"));
  EXPECT_TRUE(is_like("%*%s[%d]", "a b [c] [7]"));
  EXPECT_TRUE(is_like("%*%d.%d", "1 2 3.4"));
  EXPECT_TRUE(is_like("%*%x:%d", "zz12ab:7"));
  EXPECT_TRUE(is_like("%*%i->%i(%*", "[1] libgame.so->open(1"));
}

TEST(LinePattern, what_is_looked_for_is_as_long_as_it_can_be) {
  EXPECT_EQ(match_line("%P%s%d", "a 1 2"), "a 1");
  EXPECT_EQ(match_line("%P,%d", "a,b,3"), "a,b");
  EXPECT_EQ(match_line("%n%s%P", "4.0K  a b"), "a b");
  EXPECT_EQ(match_line("%f%s%P", "-rw-r--r-- a"), "a");
  EXPECT_EQ(match_line("%f%s%P", "drwxr-xr-x a"), std::nullopt);
  EXPECT_EQ(match_line("%P%s%c", "a b 89abcdef"), "a b");
}

}  // namespace
}  // namespace seekless
