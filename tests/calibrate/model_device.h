// The model of a drive as a device to calibrate, in simulated time, with the disturbances of a real
// machine.
#pragma once

#include <cmath>
#include <random>
#include <set>
#include <string>

#include "packer/calibrate/internal/timed_device.h"
#include "packer/drive/drive.h"

namespace seekless {

struct Disturbance {
  double system_ms = 0;      // time that the system adds to each read
  double noise_ms = 0;       // upper limit of a further time, evenly distributed
  double busy_ms = 0;        // mean of a further time, for which other programs have the processors
  double outlier_share = 0;  // share of the reads that wait 5 to 60 ms for another program's read
  uint64_t bad_from = 0;     // places from here on can't be read
  uint64_t bad_bytes = 0;
  bool platter_waits = false;  // it turns only while the drive is busy
};

class ModelDevice final : public TimedDevice {
 public:
  ModelDevice(const DriveProfile& profile, uint64_t size_bytes, Disturbance disturbance = {})
      : drive_(profile), size_bytes_(size_bytes), disturbance_(disturbance) {}

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return size_bytes_; }
  double now_ms() const override { return now_ms_; }

  Result<TimedRead> read(uint64_t position_bytes, uint64_t length_bytes) override {
    if (reads_ == interrupt_at) return failed({.file = name_, .found = "the run interrupted"});
    ++reads_;
    is_in_range = is_in_range && position_bytes % kTimedReadAlignment == 0 &&
                  length_bytes % kTimedReadAlignment == 0 && length_bytes <= kMaxTimedReadBytes &&
                  position_bytes <= size_bytes_ && length_bytes <= size_bytes_ - position_bytes;
    for (uint64_t at = position_bytes; at < position_bytes + length_bytes;
         at += kTimedReadAlignment)
      read_twice += seen_.insert(at).second ? 0 : 1;
    TimedRead timed = {.begin_ms = now_ms_};
    pass(waited_ms(), false);
    pass(drive_.read(position_bytes, length_bytes), true);
    pass(disturbance_.system_ms + disturbance_.noise_ms * share_(random_) + waited_ms(), false);
    if (share_(random_) < disturbance_.outlier_share) pass(5 + 55 * share_(random_), false);
    timed.end_ms = now_ms_;
    const bool is_bad = position_bytes < disturbance_.bad_from + disturbance_.bad_bytes &&
                        position_bytes + length_bytes > disturbance_.bad_from;
    timed.is_good = !is_bad;
    return timed;
  }

  void wait(double idle_ms) override { pass(idle_ms, false); }

  bool is_in_range = true;
  uint64_t read_twice = 0;
  uint64_t interrupt_at = UINT64_MAX;
  uint64_t reads() const { return reads_; }

 private:
  void pass(double ms, bool is_busy) {
    now_ms_ += ms;
    if (!is_busy && !disturbance_.platter_waits) drive_.wait(ms);
  }

  // Half of the waiting for processors is before the read, and half is after it.
  double waited_ms() {
    if (disturbance_.busy_ms <= 0) return 0;
    return -disturbance_.busy_ms / 2 * std::log(1 - share_(random_));
  }

  std::string name_ = "the model";
  Drive drive_;
  uint64_t size_bytes_;
  Disturbance disturbance_;
  double now_ms_ = 0;
  uint64_t reads_ = 0;
  std::set<uint64_t> seen_;
  std::mt19937_64 random_{2};
  std::uniform_real_distribution<double> share_{0, 1};
};

}  // namespace seekless
