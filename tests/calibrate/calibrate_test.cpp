// Calibrates the model as a device: the result must be the profile that it was made with.
#include "packer/calibrate/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/drive/drive.h"
#include "tests/calibrate/model_device.h"

namespace seekless {
namespace {

using testing::HasSubstr;

Result<Calibration> measure(const DriveProfile& profile, const Disturbance& disturbance = {},
                            double seconds = 60) {
  ModelDevice device(profile, Drive(profile).capacity_bytes(), disturbance);
  auto found = calibrate(device, {.profile_name = "measured", .seconds = seconds});
  EXPECT_TRUE(device.is_in_range);
  if (found) {
    EXPECT_EQ(device.read_twice, found->counters.repeated_reads);
  }
  EXPECT_LE(device.now_ms(), seconds * 1e3 * 1.15);
  return found;
}

void expect_same(double found, double expected, double share, const std::string& what) {
  EXPECT_NEAR(found, expected, expected * share) << what;
}

// `added_ms` is the time that the system adds to each read; the profile's overhead must contain it.
void expect_recovered(const DriveProfile& profile, const Result<Calibration>& found,
                      double added_ms = 0) {
  ASSERT_TRUE(found) << found.error().message;
  const auto& want = std::get<HardDisk>(profile.hardware);
  ASSERT_TRUE(std::holds_alternative<HardDisk>(found->profile.hardware));
  const auto& got = std::get<HardDisk>(found->profile.hardware);
  const std::string text = to_json(found->profile);
  expect_same(got.rpm, want.rpm, 0.01, text);
  expect_same(got.outer_bytes_per_s, want.outer_bytes_per_s, 0.03, text);
  expect_same(got.inner_bytes_per_s, want.inner_bytes_per_s, 0.03, text);
  EXPECT_EQ(got.capacity_bytes, want.capacity_bytes);
  const Drive model(profile);
  const Drive measured(found->profile);
  expect_same(measured.average_access_ms(), model.average_access_ms() + added_ms, 0.03, text);
  for (const double share : {0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    const auto to = static_cast<uint64_t>(share * static_cast<double>(want.capacity_bytes));
    const double want_ms = want.overhead_ms + added_ms + model.seek_ms(0, to);
    EXPECT_NEAR(got.overhead_ms + measured.seek_ms(0, to), want_ms, std::max(0.3, 0.05 * want_ms))
        << share << " of the drive; " << text;
  }
  ASSERT_TRUE(parse_profile(text, "measured"));
}

std::vector<DriveProfile> disks() {
  std::vector<DriveProfile> found;
  for (const DriveProfile& profile : builtin_profiles())
    if (std::holds_alternative<HardDisk>(profile.hardware)) found.push_back(profile);
  HardDisk server = std::get<HardDisk>(found[0].hardware);
  server.rpm = 15000;
  server.capacity_bytes = 146'000'000'000;
  server.seek_t0_ms = 0.2;
  server.seek_b_ms = 5;
  server.seek_c_ms = 1.8;
  server.seek_e_ms = 3.6;
  found.push_back({"fast server", server});
  HardDisk old = server;
  old.rpm = 4200;
  old.capacity_bytes = 20'000'000'000;
  old.outer_bytes_per_s = 25e6;
  old.inner_bytes_per_s = 13e6;
  old.seek_t0_ms = 2.5;
  old.seek_b_ms = 20;
  old.seek_c_ms = 8.5;
  old.seek_e_ms = 16;
  old.overhead_ms = 0.5;
  old.read_ahead_bytes = 131072;
  found.push_back({"old laptop", old});
  HardDisk plain = std::get<HardDisk>(found[0].hardware);
  plain.inner_bytes_per_s = plain.outer_bytes_per_s;
  found.push_back({"one zone", plain});
  return found;
}

class CalibrateDisk : public testing::TestWithParam<DriveProfile> {};

TEST_P(CalibrateDisk, is_recovered) {
  const auto found = measure(GetParam());
  expect_recovered(GetParam(), found);
  const auto& want = std::get<HardDisk>(GetParam().hardware);
  EXPECT_EQ(std::get<HardDisk>(found->profile.hardware).read_ahead_bytes, want.read_ahead_bytes);
}

TEST_P(CalibrateDisk, is_recovered_under_noise_and_overhead_of_the_system) {
  expect_recovered(GetParam(), measure(GetParam(), {.system_ms = 0.25, .noise_ms = 0.1}), 0.25);
}

TEST_P(CalibrateDisk, is_recovered_with_a_tenth_of_reads_disturbed) {
  const auto found = measure(GetParam(), {.system_ms = 0.1, .noise_ms = 0.1, .outlier_share = 0.1});
  expect_recovered(GetParam(), found, 0.1);
  EXPECT_GT(found->error.slow_share, 0.03);
}

TEST_P(CalibrateDisk, is_recovered_if_the_platter_waits_for_the_host) {
  expect_recovered(GetParam(), measure(GetParam(), {.system_ms = 0.1, .platter_waits = true}), 0.1);
}

TEST_P(CalibrateDisk, is_recovered_in_half_a_minute) {
  expect_recovered(GetParam(), measure(GetParam(), {.noise_ms = 0.05}, 30));
}

TEST_P(CalibrateDisk, is_recovered_while_reads_wait_for_processors) {
  const double turn_ms = 60e3 / std::get<HardDisk>(GetParam().hardware).rpm;
  const double busy_ms = turn_ms / 20;
  const auto found = measure(GetParam(), {.system_ms = 0.1, .busy_ms = busy_ms});
  expect_recovered(GetParam(), found, 0.1 + busy_ms / 10);
  EXPECT_NEAR(found->computer_ms, 0.75 * busy_ms, 0.25 * busy_ms);
  EXPECT_NEAR(found->error.predicted_access_ms / found->error.measured_access_ms, 1, 0.03);
}

INSTANTIATE_TEST_SUITE_P(Disks, CalibrateDisk, testing::ValuesIn(disks()),
                         [](const auto& parameter) {
                           std::string name = parameter.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == ' '; }, '_');
                           return name;
                         });

struct Memory {
  uint64_t read_ahead_bytes;
  uint64_t segments;
  uint64_t segment_bytes;
};

DriveProfile disk_with(const Memory& memory) {
  DriveProfile profile = find_profile("wd-black-1tb").value();
  auto& disk = std::get<HardDisk>(profile.hardware);
  disk.read_ahead_bytes = memory.read_ahead_bytes;
  disk.segments = memory.segments;
  disk.segment_bytes = memory.segment_bytes;
  return profile;
}

class CalibrateMemory : public testing::TestWithParam<Memory> {};

TEST_P(CalibrateMemory, is_recovered) {
  const DriveProfile profile = disk_with(GetParam());
  for (const Disturbance& disturbance :
       {Disturbance{}, Disturbance{.system_ms = 0.1, .noise_ms = 0.1, .outlier_share = 0.05},
        Disturbance{.platter_waits = true}}) {
    const auto found = measure(profile, disturbance);
    ASSERT_TRUE(found) << found.error().message;
    const auto& got = std::get<HardDisk>(found->profile.hardware);
    const std::string text = to_json(found->profile);
    EXPECT_LE(got.segments, GetParam().segments) << text;
    // A disturbed read may hide the oldest one.
    EXPECT_GE(got.segments + 1 + GetParam().segments / 50, GetParam().segments) << text;
    const auto want = static_cast<double>(kept_bytes_of_a_segment({
        .read_ahead_bytes = GetParam().read_ahead_bytes,
        .segment_bytes = GetParam().segment_bytes,
    }));
    EXPECT_LE(static_cast<double>(kept_bytes_of_a_segment(got)), 1.01 * want) << text;
    // The steps are a quarter of a doubling, and read-ahead comes in powers of two.
    EXPECT_GE(static_cast<double>(kept_bytes_of_a_segment(got)), 0.7 * want) << text;
  }
}

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;
INSTANTIATE_TEST_SUITE_P(Disks, CalibrateMemory,
                         testing::Values(Memory{256 * kKiB, 1, 0}, Memory{256 * kKiB, 8, 0},
                                         Memory{2 * kMiB, 16, 2 * kMiB},
                                         Memory{512 * kKiB, 1, 32 * kMiB},
                                         Memory{256 * kKiB, 13, 1536 * kKiB},
                                         Memory{256 * kKiB, 100, 512 * kKiB}));

TEST(Calibrate, recognises_solid_state) {
  for (const char* name : {"sata-ssd", "nvme-optane"}) {
    const DriveProfile profile = find_profile(name).value();
    ModelDevice device(profile, 256'000'000'000, {.outlier_share = 0.02});
    const auto found = calibrate(device, {.profile_name = "measured"});
    ASSERT_TRUE(found) << found.error().message;
    const auto& want = std::get<SolidState>(profile.hardware);
    const auto& got = std::get<SolidState>(found->profile.hardware);
    EXPECT_NEAR(got.latency_ms, want.latency_ms, want.latency_ms * 0.03);
    EXPECT_NEAR(got.bytes_per_s, want.bytes_per_s, want.bytes_per_s * 0.03);
    EXPECT_TRUE(parse_profile(to_json(found->profile), "measured"));
  }
}

TEST(Calibrate, tells_that_a_drive_does_not_read_ahead) {
  DriveProfile profile = find_profile("wd-black-1tb").value();
  std::get<HardDisk>(profile.hardware).read_ahead_bytes = 0;
  const auto found = measure(profile);
  expect_recovered(profile, found);
  EXPECT_EQ(std::get<HardDisk>(found->profile.hardware).read_ahead_bytes, 0);
  EXPECT_THAT(testing::PrintToString(found->remarks), HasSubstr("doesn't read ahead"));
}

TEST(Calibrate, a_file_is_measured_as_the_range_it_is) {
  const DriveProfile profile = find_profile("wd-black-1tb").value();
  ModelDevice device(profile, 20'000'000'000);
  const auto found = calibrate(device, {.profile_name = "file"});
  ASSERT_TRUE(found) << found.error().message;
  const auto& got = std::get<HardDisk>(found->profile.hardware);
  EXPECT_EQ(got.capacity_bytes, 20'000'000'000);
  EXPECT_NEAR(got.inner_bytes_per_s, 125e6, 3e6);
  EXPECT_NEAR(got.rpm, 7200, 72);
}

TEST(Calibrate, skips_places_that_cannot_be_read) {
  const DriveProfile profile = find_profile("wd-black-1tb").value();
  const Disturbance bad = {.bad_from = 300'000'000'000, .bad_bytes = 20'000'000'000};
  const auto found = measure(profile, bad);
  expect_recovered(profile, found);
  EXPECT_GT(found->counters.failed_reads, 10);
}

TEST(Calibrate, gives_up_if_too_many_places_cannot_be_read) {
  const Disturbance bad = {.bad_from = 0, .bad_bytes = 400'000'000'000};
  const auto found = measure(find_profile("wd-black-1tb").value(), bad);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("reads failed"));
}

TEST(Calibrate, refuses_to_fit_noise) {
  const Disturbance loaded = {.noise_ms = 30, .outlier_share = 0.6};
  const auto found = measure(find_profile("wd-black-1tb").value(), loaded);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("no profile is written"));
}

TEST(Calibrate, says_how_large_a_device_must_be) {
  ModelDevice device(find_profile("wd-black-1tb").value(), kMinCalibratedBytes - 1);
  const auto found = calibrate(device, {.profile_name = "small"});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("1073741824"));
  EXPECT_EQ(device.reads(), 0);
}

TEST(Calibrate, stops_as_soon_as_the_device_says_so) {
  for (const uint64_t at : {0, 70, 250, 500, 900, 4000}) {
    ModelDevice device(find_profile("wd-black-1tb").value(), 1'000'200'000'000);
    device.interrupt_at = at;
    const auto found = calibrate(device, {.profile_name = "measured"});
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr("interrupted"));
    EXPECT_EQ(device.reads(), at);
  }
}

}  // namespace
}  // namespace seekless
