// Tests how long a drive would take to warm reads, with figures computed by hand.
#include "packer/warm/warm_forecast.h"

#include <array>

#include <gmock/gmock.h>

#include "packer/drive/drive.h"

namespace seekless {
namespace {

constexpr uint64_t kPiece = 4096;

DriveProfile solid(double latency_ms, double bytes_per_s) {
  return {"solid", SolidState{latency_ms, bytes_per_s}};
}

FileExtents file(std::vector<Extent> extents) {
  FileExtents made = {.path = "f"};
  for (const Extent& piece : extents) made.size_bytes += piece.length_bytes;
  made.extents = std::move(extents);
  return made;
}

TEST(WarmForecast, counts_each_piece_and_its_bytes) {
  const std::array files = {
      file({{0, 500 * kPiece, 10 * kPiece}, {10 * kPiece, kPiece, 10 * kPiece}}), file({})};
  // The first read lies in both pieces, the last one in a file whose place isn't known.
  const std::array<SweepRead, 3> reads = {
      {{0, 9 * kPiece, 2 * kPiece, 2 * kPiece}, {0, 0, kPiece, kPiece}, {1, 0, kPiece, kPiece}}};
  EXPECT_NEAR(forecast_warm(solid(2, 1e6), files, {}, reads).value(), 3 * 0.002 + 3 * kPiece / 1e6,
              1e-9);
}

TEST(WarmForecast, far_pieces_take_longer_than_near_ones) {
  const DriveProfile disk = get_drive(kTargetDrive).value();
  const uint64_t far = Drive(disk).capacity_bytes() / 2 / kPiece * kPiece;
  const std::array near_files = {file({{0, kPiece, kPiece}}), file({{0, 300 * kPiece, kPiece}})};
  const std::array far_files = {file({{0, kPiece, kPiece}}), file({{0, far, kPiece}})};
  const std::array<SweepRead, 2> reads = {{{0, 0, kPiece, kPiece}, {1, 0, kPiece, kPiece}}};
  EXPECT_GT(forecast_warm(disk, far_files, {}, reads).value(),
            forecast_warm(disk, near_files, {}, reads).value() + 0.003);
}

TEST(WarmForecast, each_device_is_a_drive_of_its_own) {
  const DriveProfile disk = get_drive(kTargetDrive).value();
  const uint64_t far = Drive(disk).capacity_bytes() / 2 / kPiece * kPiece;
  const std::array<SweepRead, 3> reads = {
      {{0, 0, kPiece, kPiece}, {1, 0, kPiece, kPiece}, {0, kPiece, kPiece, kPiece}}};
  std::array files = {file({{0, kPiece, 2 * kPiece}}), file({{0, far, kPiece}})};
  const double one_s = forecast_warm(disk, files, {}, reads).value();
  files[1].device = 2;
  EXPECT_LT(forecast_warm(disk, files, {}, reads).value(), one_s - 0.01);
}

TEST(WarmForecast, files_are_found_in_their_folders_first) {
  FileExtents one = file({{0, 500 * kPiece, kPiece}});
  FileExtents other = one;
  one.path = "game/a";
  other.path = "game/b";
  const std::array files = {one, other};
  const FolderPlaces folders = {{"game", file({{0, 900 * kPiece, 2 * kPiece}})}};
  const std::array<SweepRead, 1> reads = {{{1, 0, kPiece, kPiece}}};
  EXPECT_NEAR(forecast_warm(solid(2, 1e6), files, folders, reads).value(),
              3 * 0.002 + 3 * kPiece / 1e6, 1e-9);
}

TEST(WarmForecast, a_piece_past_the_drives_end_is_an_error) {
  const DriveProfile disk = get_drive(kTargetDrive).value();
  const std::array files = {file({{0, Drive(disk).capacity_bytes() - kPiece, 2 * kPiece}})};
  const auto forecast = forecast_warm(disk, files, {}, {});
  ASSERT_FALSE(forecast);
  EXPECT_THAT(forecast.error().message, testing::HasSubstr("--drive"));
}

}  // namespace
}  // namespace seekless
