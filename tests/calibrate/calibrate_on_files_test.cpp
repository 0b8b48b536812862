// Adjusts a usual profile to a model of a drive, of which only stretches may be read.
#include "packer/calibrate/calibrate_on_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/drive/drive.h"
#include "tests/calibrate/model_device.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr uint64_t kGB = 1'000'000'000;
constexpr uint64_t kBlock = 4096;

std::vector<ReadableStretch> stretches_at(std::vector<uint64_t> begins, uint64_t length_bytes) {
  std::vector<ReadableStretch> stretches;
  for (const uint64_t begin : begins)
    stretches.push_back({begin / kBlock * kBlock, length_bytes / kBlock * kBlock});
  return stretches;
}

DriveProfile profile_named(const std::string& name) {
  return *find_profile(name);
}

TEST(CalibrateOnFiles, FindsTurnRateAndAccessOfAnotherDrive) {
  const DriveProfile real = profile_named("laptop-5400");
  ModelDevice device(real, Drive(real).capacity_bytes());
  const auto stretches = stretches_at({100 * kGB, 300 * kGB, 350 * kGB, 700 * kGB}, 200'000'000);
  const auto found = calibrate_on_files(device, stretches, profile_named("wd-black-1tb"), 30);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(device.is_in_range);
  EXPECT_TRUE(found->has_measured_rate);
  const auto& disk = std::get<HardDisk>(found->profile.hardware);
  EXPECT_NEAR(disk.rpm, 5400, 54);
  const Drive measured(found->profile);
  const Drive model(real);
  for (const ReadableStretch& stretch : stretches)
    EXPECT_NEAR(measured.rate_bytes_per_s(stretch.begin_bytes) /
                    model.rate_bytes_per_s(stretch.begin_bytes),
                1, 0.1);
  EXPECT_NEAR(measured.access_ms(100 * kGB, 350 * kGB) / model.access_ms(100 * kGB, 350 * kGB), 1,
              0.1);
  EXPECT_LE(device.now_ms(), 33e3);
}

TEST(CalibrateOnFiles, SaysWhatSmallFilesDoNotShow) {
  const DriveProfile real = profile_named("wd-black-1tb");
  ModelDevice device(real, Drive(real).capacity_bytes());
  const auto found = calibrate_on_files(device, stretches_at({100 * kGB}, 2'000'000), real, 30);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->has_measured_rate);
  EXPECT_THAT(found->remarks, Contains(HasSubstr("rate")));
  EXPECT_THAT(found->remarks, Contains(HasSubstr("seeks")));
}

TEST(CalibrateOnFiles, RecognisesSolidState) {
  const DriveProfile real = profile_named("sata-ssd");
  ModelDevice device(real, 500 * kGB);
  const auto found = calibrate_on_files(device, stretches_at({kGB}, 200'000'000),
                                        profile_named("wd-black-1tb"), 30);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(std::holds_alternative<SolidState>(found->profile.hardware));
}

TEST(CalibrateOnFiles, RefusesPlacesThatCannotBeRead) {
  const DriveProfile real = profile_named("wd-black-1tb");
  ModelDevice device(real, Drive(real).capacity_bytes(), {.bad_from = 0, .bad_bytes = 900 * kGB});
  const auto found = calibrate_on_files(device, stretches_at({100 * kGB}, 200'000'000), real, 30);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("reads that succeed"));
}

TEST(CalibrateOnFiles, HandsOnAnInterrupt) {
  const DriveProfile real = profile_named("wd-black-1tb");
  ModelDevice device(real, Drive(real).capacity_bytes());
  device.interrupt_at = 150;
  const auto found = calibrate_on_files(device, stretches_at({100 * kGB}, 200'000'000), real, 30);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("interrupted"));
}

}  // namespace
}  // namespace seekless
