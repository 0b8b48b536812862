// Tests what the model does for profiles that are fitted to requests: writes, near seeks, whole
// tracks, slow interfaces.
#include <gtest/gtest.h>

#include "packer/drive/drive.h"

namespace seekless {
namespace {

constexpr uint64_t kFarBytes = 500'000'000'000;

HardDisk plain_disk() {
  return std::get<HardDisk>(find_profile("wd-black-1tb")->hardware);
}

Drive unknown_turn(const HardDisk& disk) {
  return Drive({"t", disk}, 0, Drive::Turn::unknown);
}

TEST(DriveHabits, an_unknown_turn_counts_half_a_turn_for_every_wait) {
  const HardDisk disk = plain_disk();
  Drive drive = unknown_turn(disk);
  const double far_ms = drive.read(kFarBytes, 4096);
  EXPECT_TRUE(drive.course().is_chance);
  EXPECT_NEAR(far_ms - drive.course().seek_ms,
              disk.overhead_ms + 60e3 / disk.rpm / 2 + drive.sweep_ms(kFarBytes, 4096), 1e-9);
  drive.wait(100);
  drive.read(kFarBytes + 4096, 4096);
  EXPECT_FALSE(drive.course().is_chance);
  EXPECT_EQ(drive.course().seek_turns, 0);
}

TEST(DriveHabits, a_write_to_the_medium_takes_as_long_as_a_read) {
  Drive reader({"t", plain_disk()});
  Drive writer({"t", plain_disk()});
  EXPECT_NEAR(writer.write(kFarBytes, 4096), reader.read(kFarBytes, 4096), 1e-9);
}

TEST(DriveHabits, a_write_to_memory_ends_at_once_and_moves_the_head) {
  HardDisk disk = plain_disk();
  disk.write_cache_bytes = 1 << 20;
  disk.write_overhead_ms = 0.2;
  Drive drive = unknown_turn(disk);
  EXPECT_NEAR(drive.write(kFarBytes, 4096), 0.2 + 4096 / disk.interface_bytes_per_s * 1e3, 1e-9);
  drive.wait(100);
  drive.read(kFarBytes + 100'000'000, 4096);
  EXPECT_LT(drive.course().seek_ms, 2);
}

TEST(DriveHabits, a_read_waits_until_the_write_before_it_is_on_the_medium) {
  HardDisk disk = plain_disk();
  disk.write_cache_bytes = 1 << 20;
  Drive busy = unknown_turn(disk);
  busy.write(kFarBytes, 4096);
  Drive idle = unknown_turn(disk);
  idle.write(kFarBytes, 4096);
  idle.wait(100);
  EXPECT_GT(busy.read(0, 4096), idle.read(0, 4096) + 5);
}

TEST(DriveHabits, near_seeks_have_a_time_of_their_own) {
  HardDisk disk = plain_disk();
  disk.near_tracks = 8;
  disk.near_seek_ms = 0.25;
  const Drive drive({"t", disk});
  EXPECT_EQ(drive.seek_ms(0, 2'000'000), 0.25);
  EXPECT_GT(drive.seek_ms(0, 20'000'000), disk.seek_t0_ms);
}

TEST(DriveHabits, a_drive_that_keeps_whole_tracks_has_what_lies_before_a_read) {
  HardDisk disk = plain_disk();
  disk.reads_whole_tracks = 1;
  disk.segment_bytes = 1 << 22;
  const double turn_bytes = disk.outer_bytes_per_s * 60 / disk.rpm;
  const auto middle = static_cast<uint64_t>(turn_bytes * 10.5);
  for (const auto& [offset, is_kept] :
       {std::pair{-0.3, true}, {0.3, true}, {-0.8, false}, {0.8, false}}) {
    Drive drive = unknown_turn(disk);
    drive.read(middle, 4096);
    drive.wait(100);
    const double ms =
        drive.read(static_cast<uint64_t>(static_cast<double>(middle) + offset * turn_bytes), 4096);
    EXPECT_EQ(ms < 1, is_kept) << offset;
  }
}

TEST(DriveHabits, an_interface_slower_than_the_medium_delays_the_end) {
  HardDisk disk = plain_disk();
  Drive fast = unknown_turn(disk);
  disk.interface_bytes_per_s = 10e6;
  Drive slow = unknown_turn(disk);
  disk.sends_late = 1;
  Drive late = unknown_turn(disk);
  const double medium_ms = fast.sweep_ms(kFarBytes, 1'000'000);
  const double fast_ms = fast.read(kFarBytes, 1'000'000);
  EXPECT_NEAR(slow.read(kFarBytes, 1'000'000), fast_ms - medium_ms + 100, 1e-6);
  EXPECT_NEAR(late.read(kFarBytes, 1'000'000), fast_ms + 100, 1e-6);
}

}  // namespace
}  // namespace seekless
