// Tests which archive of a folder wins in every engine.
#include "packer/repack/archive_precedence.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr auto kLast = WinningName::last;
constexpr auto kFirst = WinningName::first;

TEST(ArchivePrecedence, the_last_name_of_a_folder_wins_and_a_later_folder_over_all) {
  const ArchivePrecedence ranks({{0, "pak0.pk3"}, {0, "pak1.pk3"}, {1, "aaa.pk3"}}, kLast);
  EXPECT_TRUE(ranks.surely_wins(1, 0));
  EXPECT_FALSE(ranks.surely_wins(0, 1));
  EXPECT_TRUE(ranks.surely_wins(2, 1));
  EXPECT_EQ(ranks.winners_first(), (std::vector<uint32_t>{2, 1, 0}));
}

TEST(ArchivePrecedence, where_the_first_wins_folders_keep_their_order) {
  const ArchivePrecedence ranks({{0, "pak0.pk3"}, {0, "pak1.pk3"}, {1, "zzz.pk3"}}, kFirst);
  EXPECT_TRUE(ranks.surely_wins(0, 1));
  EXPECT_TRUE(ranks.surely_wins(2, 0));
  EXPECT_EQ(ranks.winners_first(), (std::vector<uint32_t>{2, 0, 1}));
}

TEST(ArchivePrecedence, what_case_decides_is_not_certain) {
  const ArchivePrecedence ranks({{0, "B.pk3"}, {0, "a.pk3"}}, kLast);
  EXPECT_FALSE(ranks.surely_wins(1, 0));  // in a byte-by-byte order it does
  EXPECT_FALSE(ranks.surely_wins(0, 1));
  // '_' lies between upper and lower case.
  EXPECT_EQ(unbeaten_name("zz_s.pk3", {"pak0.pk3", "z_map.pk3"}, kLast), "z_map.pk3");
  EXPECT_EQ(unbeaten_name("z_zz.pk3", {"pak0.pk3", "z_map.pk3"}, kLast), std::nullopt);
}

TEST(ArchivePrecedence, names_in_an_order_other_than_the_given_one_are_not_certain) {
  const ArchivePrecedence ranks({{0, "mp.wz"}, {0, "base.wz"}}, kLast);
  EXPECT_FALSE(ranks.surely_wins(0, 1));
  EXPECT_FALSE(ranks.surely_wins(1, 0));
}

TEST(ArchivePrecedence, characters_beyond_ascii_decide_nothing) {
  EXPECT_TRUE(unbeaten_name("\xC3\xA9.pk3", {"pak0.pk3"}, kLast));
  EXPECT_FALSE(unbeaten_name("z.pk3", {"pak\xC3\xA9.pk3"}, kLast));
}

TEST(ArchivePrecedence, a_name_does_not_win_over_itself) {
  EXPECT_TRUE(unbeaten_name("pak0.pk3", {"pak0.pk3"}, kLast));
  EXPECT_TRUE(unbeaten_name("PAK0.pk3", {"pak0.pk3"}, kLast));
}

TEST(ArchivePrecedence, a_name_that_wins_is_found) {
  for (const std::vector<std::string>& others :
       {std::vector<std::string>{"pak0.pk3", "z_map.pk3"}, {"zzzz.pk3"}, {"~.pk3"}, {"a", "Z_Z"}}) {
    const auto name = winning_name("zz_seekless.pk3", others, kLast);
    ASSERT_TRUE(name);
    EXPECT_FALSE(unbeaten_name(*name, others, kLast)) << *name;
  }
  const std::vector<std::string> others = {"0.pk3", "!a.pk3"};
  const auto name = winning_name("aa.pk3", others, kFirst);
  ASSERT_TRUE(name);
  EXPECT_FALSE(unbeaten_name(*name, others, kFirst)) << *name;
}

}  // namespace
}  // namespace seekless
