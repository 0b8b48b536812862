#include "packer/keep/internal/overlay_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kReadThroughBytes = 1'000'000;

TEST(OverlayOrder, keeps_what_the_same_scenarios_read_together_and_as_it_was) {
  const ReaderSets sets({{}, {0}, {1}});
  const std::vector<OverlayAsset> assets = {{1, 10}, {2, 20}, {1, 10}, {2, 20}, {1, 10}};
  EXPECT_THAT(overlay_order(assets, sets, kReadThroughBytes), ElementsAre(0, 2, 4, 1, 3));
}

TEST(OverlayOrder, what_is_large_for_one_lies_out_of_the_way_of_what_many_read) {
  const ReaderSets sets({{}, {0}, {0, 1, 2}, {1}});
  const std::vector<OverlayAsset> assets = {{1, 9'000'000}, {2, 10}, {1, 9'000'000}, {3, 100}};
  const std::vector<uint32_t> order = overlay_order(assets, sets, kReadThroughBytes);
  // Only scenario 0 reads past its large assets, so they come last.
  EXPECT_THAT(std::vector(order.begin() + 2, order.end()), ElementsAre(0, 2));
}

TEST(OverlayOrder, of_nothing_is_nothing) {
  EXPECT_THAT(
      overlay_order({}, ReaderSets(std::vector<std::vector<uint32_t>>()), kReadThroughBytes),
      IsEmpty());
}

TEST(OverlayOrder, where_seeks_cost_nothing_small_parts_of_many_come_first) {
  const ReaderSets sets({{}, {0}, {0, 1}});
  EXPECT_THAT(overlay_order(std::vector<OverlayAsset>{{1, 50}, {2, 50}}, sets, 0),
              ElementsAre(1, 0));
}

}  // namespace
}  // namespace seekless
