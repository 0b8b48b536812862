// Series of reads that tests of the drive share, and their results.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "packer/drive/drive.h"

namespace seekless {

inline DriveProfile builtin(std::string_view name) {
  return find_profile(name).value();
}

inline HardDisk disk_of(std::string_view name) {
  return std::get<HardDisk>(builtin(name).hardware);
}

inline void expect_within(double found, double expected, double share, const char* what) {
  EXPECT_LE(std::abs(found - expected), expected * share)
      << what << ": expected " << expected << " within " << share * 100 << " %, found " << found;
}

inline double mb_per_s(uint64_t bytes, double busy_ms) {
  return static_cast<double>(bytes) / busy_ms / 1e3;
}

// Returns the mean milliseconds of a read of `length_bytes` at a place drawn evenly over the disk.
inline double random_read_ms(const DriveProfile& profile, uint64_t length_bytes,
                             uint64_t reads = 40000) {
  Drive drive(profile);
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < reads; ++i)
    drive.read(random() % (drive.capacity_bytes() - length_bytes), length_bytes);
  return drive.counters().busy_ms / static_cast<double>(reads);
}

}  // namespace seekless
