// Tests the forecast of loads by `play` with seconds computed by hand.
#include "packer/foresee/play_forecast.h"

#include <array>

#include <gmock/gmock.h>

namespace seekless {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr double kRead = 0.002;

DriveProfile simple_drive() {
  return {"simple", SolidState{2, 1e6}};
}

FileExtents file_at(const std::string& path, uint64_t place, uint64_t blocks) {
  FileExtents file = {.path = path};
  file.size_bytes = blocks * kBlock;
  file.extents = {{0, place, file.size_bytes}};
  return file;
}

TEST(PlayForecast, names_come_before_chunks) {
  const std::array files = {file_at("/g/a/1", 100 * kBlock, 4), file_at("/g/2", 200 * kBlock, 4)};
  const FolderPlaces folders = {{"/g", file_at("/g", kBlock, 1)},
                                {"/g/a", file_at("/g/a", 9 * kBlock, 1)}};
  const PlayedLoad load = {
      .folder = "/g", .found = {0, 1}, .chunks = {{0, 0, 4 * kBlock}, {1, kBlock, kBlock}}};
  EXPECT_NEAR(forecast_play(simple_drive(), files, folders, load).value(),
              4 * kRead + 7 * kBlock / 1e6, 1e-9);
}

TEST(PlayForecast, copies_take_the_place_of_the_originals) {
  const std::array files = {file_at("/g/1", 100 * kBlock, 4)};
  const PlayedLoad load = {
      .folder = "/g",
      .found = {0},
      .chunks = {{.file = kShadowFile, .length_bytes = 6 * kBlock}},
      .copies = {{0, 300 * kBlock, kBlock}, {kBlock, 900 * kBlock, 9 * kBlock}}};
  EXPECT_NEAR(forecast_play(simple_drive(), files, {}, load).value(), 2 * kRead + 6 * kBlock / 1e6,
              1e-9);
}

TEST(PlayForecast, a_place_past_the_drives_end_is_an_error) {
  const DriveProfile disk = get_drive(kTargetDrive).value();
  const std::array files = {file_at("/g/1", uint64_t{1} << 50, 4)};
  EXPECT_FALSE(forecast_play(disk, files, {}, {.folder = "/g", .found = {0}, .chunks = {}}));
}

}  // namespace
}  // namespace seekless
