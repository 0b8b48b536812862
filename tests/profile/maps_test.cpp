#include "packer/profile/maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Maps, are_of_the_folder_that_most_names_are_in) {
  EXPECT_THAT(find_maps({"boot", "map/a", "map/b", "map/c", "menu/x"}), ElementsAre(1, 2, 3));
  EXPECT_THAT(find_maps({"rush", "island", "hill", "map/a"}), ElementsAre(0, 1, 2));
  EXPECT_THAT(find_maps({"boot", "menu", "map/a", "map/b"}), IsEmpty());
  EXPECT_THAT(find_maps({}), IsEmpty());
}

}  // namespace
}  // namespace seekless
