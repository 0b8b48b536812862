// Reads at places where nothing was read before. It counts the reads, and gives up when too many
// fail or time is over. All measurements use it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "packer/calibrate/internal/timed_device.h"

namespace seekless {

// Is called now and then with the current measurement and the share of the time that has passed (0
// to 1).
using CalibrateProgress = std::function<void(std::string_view what, double share)>;

struct Sample {
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;
  TimedRead timed;
};

class Probe {
 public:
  struct DeviceCounters {
    uint64_t reads = 0;
    uint64_t failed_reads = 0;
    uint64_t repeated_reads = 0;  // reads of 4 KiB by read_again
    uint64_t bytes = 0;
  };

  // The device must outlive it.
  Probe(TimedDevice& device, double seconds, CalibrateProgress progress);

  // Fails with the device's own error, or if too many places can't be read.
  Result<Sample> read(uint64_t position_bytes, uint64_t length_bytes);
  // Reads a place again, to find out whether the drive still has it in memory.
  Result<Sample> read_again(uint64_t position_bytes);
  void wait(double idle_ms) { device_.wait(idle_ms); }

  // Returns the place nearest to `share` (0 to 1) of the device at which `length_bytes` fit into
  // cells that weren't read yet, and marks these cells as read. The device is large enough for such
  // a place to exist. With endless time every place may have been read; then it returns the place
  // at `share`.
  uint64_t fresh_place(double share, uint64_t length_bytes);
  double random_share();

  void begin(std::string_view what) { what_ = what; }
  // Returns the share of the given time that has passed.
  double share_over() const;

  const TimedDevice& device() const { return device_; }
  uint64_t size_bytes() const { return size_bytes_; }
  const DeviceCounters& counters() const { return counters_; }
  double seconds_over() const;

 private:
  bool is_fresh(uint64_t first_cell, uint64_t cells) const;

  TimedDevice& device_;
  uint64_t size_bytes_;
  double begun_ms_;
  double seconds_;
  CalibrateProgress progress_;
  std::string_view what_;
  uint64_t cell_bytes_;
  std::unordered_set<uint64_t> read_cells_;
  std::mt19937_64 random_{1};  // seeded, so that places are the same every time
  DeviceCounters counters_;
};

}  // namespace seekless
