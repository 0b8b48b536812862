#include "packer/page/internal/place_scale.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/answer/sample_report.h"
#include "tests/extreme_figures.h"

namespace seekless {
namespace {

TEST(PlaceScale, leaves_out_what_lies_between_far_places) {
  const std::vector<HeadMove> moves = zig_zag(1'000);
  const PlaceScale scale(moves, {}, 520);
  ASSERT_EQ(scale.bands().size(), 2U);
  EXPECT_GE(scale.bands()[0].first_bytes, 31'000'000'000U);
  EXPECT_LE(scale.bands()[0].end_bytes, 31'140'016'384U);
  EXPECT_GE(scale.bands()[1].first_bytes, 431'000'000'000U);
}

TEST(PlaceScale, puts_low_places_low_and_fills_the_height) {
  const std::vector<HeadMove> moves = zig_zag(1'000);
  const PlaceScale scale(moves, {}, 520);
  EXPECT_EQ(scale.y(scale.bands().front().first_bytes), 520);
  EXPECT_EQ(scale.y(scale.bands().back().end_bytes), 0);
  EXPECT_LT(scale.bands()[1].bottom, scale.bands()[0].top);
}

TEST(PlaceScale, covers_before_and_after_alike) {
  const std::vector<HeadMove> before = {{0, 0, 1'000'000}};
  const std::vector<HeadMove> after = {{0, 900'000'000'000, 1'000'000}};
  const PlaceScale scale(before, after, 520);
  EXPECT_EQ(scale.y(0), 520);
  EXPECT_EQ(scale.y(900'001'000'000), 0);
}

TEST(PlaceScale, has_at_most_six_bands_with_room_for_their_labels) {
  std::vector<HeadMove> moves;
  for (uint64_t i = 0; i < 12; ++i) moves.push_back({0, uint64_t{1} << (20 + 2 * i), 4096});
  const PlaceScale scale(moves, {}, 520);
  EXPECT_EQ(scale.bands().size(), 6U);
  for (const DiskBand& band : scale.bands()) EXPECT_GE(band.bottom - band.top, 50);
}

TEST(PlaceScale, holds_for_no_moves_and_for_the_ends_of_the_range) {
  EXPECT_EQ(PlaceScale({}, {}, 520).y(123), 520);
  const std::vector<HeadMove> moves = {{0, 0, 0}, {0, kMost, kMost}, {0, kMost - 5, 2}};
  const PlaceScale scale(moves, {}, 520);
  for (const HeadMove& move : moves) {
    EXPECT_GE(scale.y(move.position_bytes), 0);
    EXPECT_LE(scale.y(end_of(move)), 520);
  }
}

}  // namespace
}  // namespace seekless
