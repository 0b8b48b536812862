// Fits profiles to requests that the model itself served, so that the figures are known.
#include "packer/calibrate/drive_fit.h"

#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/drive/drive.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

HardDisk made_up_disk() {
  return {.rpm = 7200,
          .capacity_bytes = 20'000'000'000,
          .outer_bytes_per_s = 30e6,
          .inner_bytes_per_s = 18e6,
          .seek_t0_ms = 1.5,
          .seek_b_ms = 11,
          .seek_c_ms = 4.5,
          .seek_e_ms = 10,
          .overhead_ms = 0.3,
          .read_ahead_bytes = 131072,
          .interface_bytes_per_s = 60e6};
}

// Reads at random places, a third of them in order, and some writes, as the model serves them.
std::vector<ServedRequest> served_by(const HardDisk& disk, size_t count = 6000) {
  Drive drive({"made up", disk}, 0.3);
  std::mt19937_64 random(7);
  std::vector<ServedRequest> requests;
  uint64_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    ServedRequest request = {.length_bytes = 4096 * (1 + random() % 8),
                             .pause_ms = 5 + static_cast<double>(random() % 40'000) / 1e3,
                             .is_read = random() % 5 != 0};
    const bool in_order = random() % 3 == 0 && end + (1 << 20) < disk.capacity_bytes;
    request.position_bytes =
        in_order ? end : random() % (disk.capacity_bytes - (1 << 20)) / 512 * 512;
    end = request.position_bytes + request.length_bytes;
    request.response_ms = request.is_read
                              ? drive.read(request.position_bytes, request.length_bytes)
                              : drive.write(request.position_bytes, request.length_bytes);
    drive.wait(request.pause_ms);
    requests.push_back(request);
  }
  return requests;
}

DriveFitOptions options_for(const HardDisk& disk) {
  return {.profile_name = "fitted", .capacity_bytes = disk.capacity_bytes};
}

HardDisk fitted_to(const std::vector<ServedRequest>& requests, const DriveFitOptions& options) {
  const auto fitted = fit_drive(std::span(requests).first(requests.size() / 2), options, "t");
  EXPECT_TRUE(fitted) << (fitted ? "" : fitted.error().message);
  return fitted ? std::get<HardDisk>(fitted->profile.hardware) : HardDisk{};
}

TEST(DriveFit, finds_the_figures_of_a_made_up_drive) {
  const HardDisk disk = made_up_disk();
  const HardDisk found = fitted_to(served_by(disk), options_for(disk));
  EXPECT_EQ(found.rpm, 7200);
  EXPECT_GE(found.read_ahead_bytes, 65536u);
  EXPECT_LE(found.read_ahead_bytes, 262144u);
  EXPECT_EQ(found.write_cache_bytes, 0u);
  EXPECT_NEAR(found.overhead_ms, disk.overhead_ms, 0.1);
  EXPECT_NEAR(found.interface_bytes_per_s / disk.interface_bytes_per_s, 1, 0.1);
  const Drive of_found({"found", found});
  const Drive of_disk({"disk", disk});
  for (const double share : {0.05, 0.1, 0.2, 0.4, 0.6, 0.9}) {
    const auto to = static_cast<uint64_t>(share * static_cast<double>(disk.capacity_bytes));
    EXPECT_NEAR(of_found.access_ms(0, to), of_disk.access_ms(0, to), 0.4) << share;
  }
}

TEST(DriveFit, predicts_the_half_that_it_has_not_seen) {
  HardDisk disk = made_up_disk();
  disk.write_cache_bytes = 1 << 20;
  disk.near_tracks = 4;
  disk.near_seek_ms = 0.5;
  const auto requests = served_by(disk);
  const auto fitted =
      fit_drive(std::span(requests).first(requests.size() / 2), options_for(disk), "t");
  ASSERT_TRUE(fitted) << fitted.error().message;
  EXPECT_GT(std::get<HardDisk>(fitted->profile.hardware).write_cache_bytes, 0u);
  const DriveJudgement judged = judge_drive(fitted->profile, requests, requests.size() / 2);
  EXPECT_GT(judged.reads, 2000u);
  EXPECT_LT(std::abs(judged.sum_error()), 0.02);
  EXPECT_LT(judged.window_median_error, 0.04);
  EXPECT_LT(judged.distribution_ms, 0.4);
}

TEST(DriveFit, counts_the_rare_long_delays_of_a_drive_without_other_chance) {
  auto requests = served_by(made_up_disk());
  for (size_t i = 0; i < requests.size(); i += 100) requests[i].response_ms += 40;
  const HardDisk found = fitted_to(requests, options_for(made_up_disk()));
  EXPECT_NEAR(found.overhead_ms, made_up_disk().overhead_ms + 0.4, 0.15);
  const DriveJudgement judged = judge_drive({"found", found}, requests, requests.size() / 2);
  EXPECT_LT(std::abs(judged.sum_error()), 0.02);
}

TEST(DriveFit, finds_the_turn_from_how_far_times_spread) {
  for (const double rpm : {5400.0, 10'000.0}) {
    HardDisk disk = made_up_disk();
    disk.rpm = rpm;
    EXPECT_EQ(fitted_to(served_by(disk), options_for(disk)).rpm, rpm);
  }
}

TEST(DriveFit, says_which_figures_the_requests_do_not_show) {
  auto requests = served_by(made_up_disk(), 2000);
  const auto remarks = [&] {
    const auto fitted = fit_drive(requests, options_for(made_up_disk()), "t");
    return fitted ? fitted->remarks : std::vector{fitted.error().message};
  };
  EXPECT_THAT(remarks(), ElementsAre(HasSubstr("the usual speed near it, 7200"),
                                     HasSubstr("fewer than 20 reads in order are 64 KiB")));
  std::mt19937_64 random(3);
  for (ServedRequest& request : requests)  // most delays are short, and some are not
    request.response_ms += 4 * std::pow(static_cast<double>(random() % 1000) / 1e3, 3);
  EXPECT_THAT(remarks(), Contains(HasSubstr("The computer was probably busy")));
}

TEST(DriveFit, takes_the_turn_that_is_given) {
  const HardDisk disk = made_up_disk();
  DriveFitOptions options = options_for(disk);
  options.rpm = 7199;
  EXPECT_EQ(fitted_to(served_by(disk), options).rpm, 7199);
}

TEST(DriveFit, gives_the_same_profile_for_the_same_requests) {
  const auto requests = served_by(made_up_disk(), 2000);
  const DriveFitOptions options = options_for(made_up_disk());
  const auto one = fit_drive(requests, options, "t");
  const auto other = fit_drive(requests, options, "t");
  ASSERT_TRUE(one && other);
  EXPECT_EQ(to_json(one->profile), to_json(other->profile));
}

TEST(DriveFit, refuses_too_few_reads_and_solid_state) {
  const auto few = fit_drive(served_by(made_up_disk(), 40), options_for(made_up_disk()), "few");
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().message, HasSubstr("at least 100 reads"));
  auto requests = served_by(made_up_disk(), 2000);
  for (ServedRequest& request : requests) request.response_ms = 0.15;
  const auto solid = fit_drive(requests, options_for(made_up_disk()), "solid");
  ASSERT_FALSE(solid);
  EXPECT_THAT(solid.error().message, HasSubstr("as on an SSD"));
}

TEST(DriveFit, refuses_requests_past_the_capacity) {
  DriveFitOptions options = options_for(made_up_disk());
  options.capacity_bytes = 1'000'000'000;
  const auto fitted = fit_drive(served_by(made_up_disk(), 1000), options, "t");
  ASSERT_FALSE(fitted);
  EXPECT_THAT(fitted.error().message, HasSubstr("--capacity"));
}

TEST(DriveFit, survives_absurd_times) {
  auto requests = served_by(made_up_disk(), 1000);
  for (size_t i = 0; i < requests.size(); i += 7) requests[i].response_ms = 1e12;
  for (size_t i = 3; i < requests.size(); i += 7) requests[i].pause_ms = 1e12;
  const auto fitted = fit_drive(requests, options_for(made_up_disk()), "t");
  EXPECT_TRUE(!fitted || check_profile(fitted->profile, "t"));
}

TEST(DriveJudgement, of_exact_times_is_without_error) {
  const DriveProfile profile = {"ssd", SolidState{.latency_ms = 1, .bytes_per_s = 100e6}};
  std::vector<ServedRequest> requests(200, {.length_bytes = 100'000, .response_ms = 2});
  const DriveJudgement judged = judge_drive(profile, requests, 100);
  EXPECT_EQ(judged.reads, 100u);
  EXPECT_EQ(judged.windows.size(), 2u);
  EXPECT_NEAR(judged.sum_error(), 0, 1e-9);
  EXPECT_NEAR(judged.window_p90_error, 0, 1e-9);
  EXPECT_NEAR(judged.distribution_ms, 0, 1e-9);
}

TEST(DriveJudgement, tells_how_far_distributions_are_apart) {
  const DriveProfile profile = {"ssd", SolidState{.latency_ms = 1, .bytes_per_s = 100e6}};
  std::vector<ServedRequest> requests(100, {.length_bytes = 100'000, .response_ms = 2.5});
  const DriveJudgement judged = judge_drive(profile, requests, 0);
  EXPECT_NEAR(judged.distribution_ms, 0.5, 1e-9);
  EXPECT_NEAR(judged.sum_error(), -0.2, 1e-9);
}

TEST(DriveJudgement, of_no_reads_is_empty) {
  const DriveJudgement judged = judge_drive({"disk", made_up_disk()}, {}, 0);
  EXPECT_EQ(judged.reads, 0u);
  EXPECT_EQ(judged.sum_error(), 0);
}

}  // namespace
}  // namespace seekless
