// Tests the model against figures that it wasn't made from (measurements of other disks, within 5 %
// for seeks and rates and 10 % for accesses), and against its own figures, to notice changes.
#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "packer/drive/page_cache.h"
#include "tests/drive/patterns.h"

namespace seekless {
namespace {

constexpr uint64_t kApart = 400'000'000'000;
constexpr double kHalfTurnMs = 60e3 / 7200 / 2;

// The curve that follows from three figures of a data sheet, and from its two parts meeting at x =
// 0.25. For two places drawn evenly over the stroke, x has the density 2 (1 - x).
struct Curve {
  double t0, b, c, e;
  double at(double x) const { return x < 0.25 ? t0 + b * std::sqrt(x) : c + e * x; }
  double average() const {
    constexpr int kSteps = 20000;
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double x = (i + 0.5) / kSteps;
      sum += 2 * (1 - x) * at(x) / kSteps;
    }
    return sum;
  }
};

Curve with_slope(double t0, double full, double e) {
  const double c = full - e;
  return {t0, 2 * (c + e / 4 - t0), c, e};
}

Curve from_data_sheet(double t0, double average, double full) {
  const double flat = with_slope(t0, full, 0).average();
  const double per_slope = with_slope(t0, full, 1).average() - flat;
  return with_slope(t0, full, (average - flat) / per_slope);
}

HardDisk disk_with(double outer, double inner, uint64_t capacity_bytes) {
  HardDisk disk = disk_of("wd-black-1tb");
  disk.outer_bytes_per_s = outer;
  disk.inner_bytes_per_s = inner;
  disk.capacity_bytes = capacity_bytes;
  return disk;
}

double two_files_mb_per_s(uint64_t chunk_bytes, uint64_t each_bytes) {
  Drive drive(builtin("wd-black-1tb"));
  for (uint64_t at = 0; at < each_bytes; at += chunk_bytes) {
    drive.read(at, chunk_bytes);
    drive.read(kApart + at, chunk_bytes);
  }
  return mb_per_s(drive.counters().bytes, drive.counters().busy_ms);
}

// Anchor: a 750 GB disk of 7200 rpm, with positioning times and rates measured from its outer edge.
// The rates are its own; the curve is that of wd-black-1tb (the same class, another maker's
// figures).
TEST(Anchors, strokes_of_a_750_gb_disk) {
  const Drive drive({"750 GB", disk_with(107.9e6, 51.5e6, 750'000'000'000)});
  expect_within(drive.access_ms(0, 750'000'000'000), 20.07, 0.05, "full stroke");
  expect_within(drive.access_ms(0, 375'000'000'000), 14.54, 0.05, "half the bytes");
  expect_within(drive.access_ms(0, 187'500'000'000), 11.45, 0.05, "a quarter of the bytes");
}

// Rates of the same disk. The outer and inner ones are given; the model computes the middle one.
TEST(Anchors, middle_rate_of_a_750_gb_disk) {
  const Drive drive({"750 GB", disk_with(107.9e6, 51.5e6, 750'000'000'000)});
  expect_within(drive.rate_bytes_per_s(375'000'000'000), 85.8e6, 0.05, "rate in the middle");
}

// Anchor: Samsung HD103UJ, 1 TB, 7200 rpm, 111 to 52 MB/s, random access measured at 13.6 ms. The
// rates are its own, the curve is that of wd-black-1tb.
TEST(Anchors, access_of_hd103uj) {
  const DriveProfile profile{"HD103UJ", disk_with(111e6, 52e6, 1'000'200'000'000)};
  expect_within(Drive(profile).average_access_ms(), 13.6, 0.10, "average by formula");
  expect_within(random_read_ms(profile, 512), 13.6, 0.10, "mean of simulated reads");
}

// Anchor: a 931 GiB disk. At depth 1 it does 79.7 random reads of 4 KiB a second, and 30.3 MB/s in
// random reads of 512 KiB, measured where it reads 108.8 MB/s in sequence. The model uses this one
// rate and the curve of wd-black-1tb.
TEST(Anchors, random_reads_of_a_931_gib_disk) {
  const DriveProfile profile{"931 GiB", disk_with(108.8e6, 108.8e6, 1'000'200'000'000)};
  expect_within(1e3 / random_read_ms(profile, 4096), 79.7, 0.05, "4 KiB reads a second");
  expect_within(mb_per_s(524288, random_read_ms(profile, 524288)), 30.3, 0.05, "512 KiB");
}

// The same disk against the unchanged built-in profile, which has other rates.
TEST(Anchors, random_reads_of_the_built_in_profile_are_those_of_a_931_gib_disk) {
  const DriveProfile profile = builtin("wd-black-1tb");
  expect_within(1e3 / random_read_ms(profile, 4096), 79.7, 0.10, "4 KiB reads a second");
  expect_within(mb_per_s(524288, random_read_ms(profile, 524288)), 30.3, 0.10, "512 KiB");
}

// Anchor: the seek curve published for Seagate ST32171W. The model gets three figures of it, as in
// a data sheet, and must find the rest of the curve.
TEST(Anchors, seek_curve_of_st32171w_follows_from_three_figures) {
  const Curve published{2.01, 13.98, 5.98, 11.10};
  const Curve found = from_data_sheet(published.t0, published.average(), published.at(1));
  HardDisk disk = disk_with(8e6, 8e6, 2'000'000'000);
  disk.seek_t0_ms = found.t0;
  disk.seek_b_ms = found.b;
  disk.seek_c_ms = found.c;
  disk.seek_e_ms = found.e;
  const Drive drive({"ST32171W", disk});
  for (const double x : {0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0})
    expect_within(drive.seek_ms(0, static_cast<uint64_t>(x * 2e9)), published.at(x), 0.05,
                  std::to_string(x).c_str());
}

TEST(Anchors, built_in_curves_follow_from_their_data_sheets) {
  struct Row {
    const char* name;
    double average, full;
  };
  for (const auto& [name, average, full] : std::array<Row, 3>{
           {{"wd-black-1tb", 8.5, 16}, {"toshiba-x300-4tb", 8.5, 16.5}, {"laptop-5400", 12, 20}}}) {
    const HardDisk disk = disk_of(name);
    const Curve curve = from_data_sheet(disk.seek_t0_ms, average, full);
    EXPECT_NEAR(curve.b, disk.seek_b_ms, 0.002) << name;
    EXPECT_NEAR(curve.c, disk.seek_c_ms, 0.002) << name;
    EXPECT_NEAR(curve.e, disk.seek_e_ms, 0.002) << name;
  }
}

// From here on, the expected values are the model's own for wd-black-1tb.

// Formula: overhead + seek + half a turn. The seek averages 8.39 ms, less than the 8.5 of the data
// sheet, because places drawn evenly by bytes crowd on the outer tracks.
TEST(Regression, average_access) {
  expect_within(Drive(builtin("wd-black-1tb")).average_access_ms(), 12.64, 0.03, "formula");
  expect_within(random_read_ms(builtin("wd-black-1tb"), 512), 12.64, 0.03, "real angles");
}

// Formula: 1 / (average access + bytes / rate).
TEST(Regression, random_reads) {
  const DriveProfile profile = builtin("wd-black-1tb");
  expect_within(1e3 / random_read_ms(profile, 4096), 78.8, 0.03, "4 KiB reads a second");
  expect_within(mb_per_s(16384, random_read_ms(profile, 16384)), 1.28, 0.03, "16 KiB");
  // With the mean of the rates (96.9) the formula gives 61.2. But reads take bytes / rate, and the
  // mean of that corresponds to 93.0 MB/s, so the result is 59.6.
  expect_within(mb_per_s(2 << 20, random_read_ms(profile, 2 << 20)), 61.2, 0.03, "2 MiB");
}

// Formula: overhead + seek over 400 GB (8.90 ms) + half a turn + bytes / rate, for the two places
// in turn.
TEST(Regression, two_files_in_turn) {
  expect_within(two_files_mb_per_s(16384, 64 << 20), 1.23, 0.03, "by 16 KiB");
  expect_within(two_files_mb_per_s(2 << 20, 2ULL << 30), 66.9, 0.03, "by 2 MiB");
  const Drive drive(builtin("wd-black-1tb"));
  const double access_ms = drive.access_ms(0, kApart);
  EXPECT_NEAR(access_ms, 0.08 + 8.902 + kHalfTurnMs, 0.001);
  expect_within(
      mb_per_s(2 * 16384, 2 * access_ms + drive.sweep_ms(0, 16384) + drive.sweep_ms(kApart, 16384)),
      1.23, 0.03, "formula");
}

TEST(Regression, two_files_in_turn_with_read_ahead) {
  Drive drive(builtin("wd-black-1tb"));
  PageCache cache(drive, {});
  constexpr uint64_t kSize = 256 << 20;
  CachedFile near = cache.open(cache.add_file(0, kSize).value());
  CachedFile far = cache.open(cache.add_file(kApart, kSize).value());
  for (uint64_t at = 0; at < kSize; at += 16384) {
    cache.read(near, at, 16384);
    cache.read(far, at, 16384);
  }
  EXPECT_EQ(drive.counters().bytes, 2 * kSize);
  expect_within(mb_per_s(2 * kSize, drive.counters().busy_ms), 9.18, 0.03, "by 128 KiB");
}

// 96.9 is the mean of the rates over the disk, as reported by programs that measure at several
// places. Reading the whole disk takes the mean of 1 / rate, hence exactly (outer + inner) / 2 =
// 93.0.
TEST(Regression, whole_disk_in_sequence) {
  Drive drive(builtin("wd-black-1tb"));
  const uint64_t capacity = drive.capacity_bytes();
  double sum = 0;
  for (uint64_t i = 0; i < 1000; ++i)
    sum += drive.rate_bytes_per_s(capacity / 1000 * i + capacity / 2000);
  expect_within(sum / 1000, 96.9e6, 0.001, "mean of the rates");
  for (uint64_t at = 0; at < capacity; at += 8 << 20) drive.read(at, 8 << 20);
  EXPECT_EQ(drive.counters().bytes, capacity);
  EXPECT_EQ(drive.counters().seeks, 0u);
  expect_within(mb_per_s(capacity, drive.counters().busy_ms), 93.0, 0.001, "simulated");
  expect_within(mb_per_s(capacity, drive.sweep_ms(0, capacity)), 93.0, 0.001, "formula");
}

}  // namespace
}  // namespace seekless
