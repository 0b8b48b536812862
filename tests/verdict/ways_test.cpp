// Tests the order of ways with hand-made seconds.
#include "packer/verdict/ways.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;

AdvisedWay way(LoadWay which, std::optional<double> seconds, std::string why_not = "") {
  return {.way = which, .seconds = seconds, .why_not = std::move(why_not)};
}

std::vector<LoadWay> order(std::vector<AdvisedWay> ways) {
  std::vector<LoadWay> sorted;
  for (const AdvisedWay& of : best_first(std::move(ways))) sorted.push_back(of.way);
  return sorted;
}

TEST(Ways, stand_with_the_fastest_first) {
  EXPECT_THAT(order({way(LoadWay::nothing, 4), way(LoadWay::place, 2), way(LoadWay::play, 3)}),
              ElementsAre(LoadWay::place, LoadWay::play, LoadWay::nothing));
}

TEST(Ways, that_are_as_fast_stand_with_the_gentlest_first) {
  EXPECT_THAT(order({way(LoadWay::repack, 1), way(LoadWay::laid_out, 1.02),
                     way(LoadWay::nothing, 4), way(LoadWay::place, 1.01)}),
              ElementsAre(LoadWay::laid_out, LoadWay::place, LoadWay::repack, LoadWay::nothing));
}

TEST(Ways, that_cannot_be_used_come_last_however_fast) {
  AdvisedWay overlay = way(LoadWay::overlay, 0.5);
  overlay.is_for_some_engines = true;
  EXPECT_THAT(order({way(LoadWay::play, 0.1, "there is no FUSE"), overlay, way(LoadWay::nothing, 4),
                     way(LoadWay::repack, std::nullopt)}),
              ElementsAre(LoadWay::nothing, LoadWay::repack, LoadWay::overlay, LoadWay::play));
}

TEST(Ways, have_a_best_only_if_it_saves_enough) {
  const auto best = [](double seconds, std::string why_not = "") {
    const auto sorted =
        best_first({way(LoadWay::nothing, 4), way(LoadWay::play, seconds, std::move(why_not))});
    return best_of(sorted) != nullptr;
  };
  EXPECT_TRUE(best(1));
  EXPECT_FALSE(best(3.9)) << "less than a twentieth";
  EXPECT_FALSE(best(5)) << "slower";
  EXPECT_FALSE(best(1, "there is no FUSE"));
  EXPECT_EQ(best_of({}), nullptr);
  EXPECT_EQ(best_of({way(LoadWay::play, 1)}), nullptr) << "what it is now isn't known";
}

TEST(Ways, of_no_seconds_have_an_order_too) {
  EXPECT_THAT(order({way(LoadWay::repack, 0), way(LoadWay::nothing, 0)}),
              ElementsAre(LoadWay::nothing, LoadWay::repack));
}

}  // namespace
}  // namespace seekless
