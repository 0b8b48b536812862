#include "packer/content/internal/vpk_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(VpkNames, lead_from_a_part_to_its_directory_and_back) {
  const auto part = VpkPartName::of("game/pak01_003.vpk");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->number, 3);
  EXPECT_EQ(part->directory(), "game/pak01_dir.vpk");
  EXPECT_EQ(vpk_part_of("game/pak01_dir.vpk", 3), "game/pak01_003.vpk");
  EXPECT_EQ(vpk_part_of("PAK_DIR.VPK", 1234), "PAK_1234.VPK");
}

TEST(VpkNames, are_those_of_parts_only_with_a_number) {
  for (const char* name : {"pak01_dir.vpk", "pak01.vpk", "pak01_03.vpk", "pak01_123456.vpk",
                           "pak01_32767.vpk", "003.vpk", "pak01_003.pak", ".vpk"})
    EXPECT_FALSE(VpkPartName::of(name)) << name;
  EXPECT_FALSE(vpk_part_of("pak01.vpk", 3));
  EXPECT_FALSE(vpk_part_of("dir.vpk", 3));
}

TEST(VpkNames, of_spare_parts_follow_the_last_number) {
  const TestFolder folder;
  EXPECT_THAT(spare_vpk_parts(folder.path("a_dir.vpk"), {0, 2}, 2),
              ElementsAre("a_003.vpk", "a_004.vpk"));
}

TEST(VpkNames, of_spare_parts_are_not_those_of_files) {
  const TestFolder folder;
  folder.write("a_003.vpk", "of somebody else");
  EXPECT_THAT(spare_vpk_parts(folder.path("a_dir.vpk"), {2}, 2),
              ElementsAre("a_004.vpk", "a_005.vpk"));
}

TEST(VpkNames, of_spare_parts_are_those_left_out_if_the_last_number_is_used) {
  const TestFolder folder;
  EXPECT_THAT(spare_vpk_parts(folder.path("a_dir.vpk"), {0, 0x7FFE}, 2),
              ElementsAre("a_001.vpk", "a_002.vpk"));
  EXPECT_THAT(spare_vpk_parts(folder.path("a.vpk"), {0}, 2), IsEmpty());
}

}  // namespace
}  // namespace seekless
