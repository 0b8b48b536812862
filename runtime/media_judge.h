// Whether a device's head has to move, judged by what jumps take. Pure, without a clock or files:
// the scheduler tells it of each read that the device was waited for, and tests can tell it
// anything.
//
// What the system says of a device is where it begins: virtual disks call themselves rotational,
// and network shares say nothing. A hard disk takes 5 to 15 ms for a jump over 16 MiB and more (a
// seek of 1 ms at least, and half a turn), what has no head less than 2. Reads from the system's
// cache say nothing of the device and must not be told. A disk that has a fast cache before it
// answers like solid media until it goes to the disk; then a third of slow jumps is enough to
// treat it as the disk that it is, and each time it takes twice as long to believe it is none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace seekless::runtime {

// A read that the device was waited for.
struct TimedRead {
  uint64_t jump_bytes = 0;  // from the end of the read before to its beginning, either way
  uint64_t length_bytes = 0;
  uint64_t took_us = 0;  // of the device's time: since it began, or since another ended after that
};

class MediaJudge {
 public:
  // Nearer ones say little: drives read ahead of what is asked for.
  static constexpr uint64_t kFarBytes = uint64_t{16} << 20;
  // What a longer read takes depends on how fast bytes come more than on its jump.
  static constexpr uint64_t kShortBytes = 128 * 1024;
  static constexpr size_t kWindow = 32;  // the latest jumps count

  explicit MediaJudge(bool is_rotational) : is_rotational_(is_rotational) {}

  // True if the verdict is another now.
  bool note(const TimedRead& read);
  bool is_rotational() const { return is_rotational_; }
  // There is no verdict yet, and only short reads lead to one.
  bool needs_short_reads() const { return is_rotational_ && since_change_ < kWindow; }

  uint64_t jumps() const { return jumps_; }  // that count
  uint32_t changes() const { return changes_; }
  // Of the latest jumps: what they took, without the time in which the bytes came.
  uint64_t median_us() const;
  uint32_t fast() const {
    return count([](uint64_t us) { return us < kFastUs; });
  }
  uint32_t slow() const {
    return count([](uint64_t us) { return us >= kSlowUs; });
  }

 private:
  static constexpr uint64_t kFastUs = 2000;
  static constexpr uint64_t kSlowUs = 4000;

  template <typename Is>
  uint32_t count(Is is) const {
    uint32_t found = 0;
    for (size_t i = 0; i < kWindow && i < jumps_; ++i) found += is(window_us_[i]) ? 1 : 0;
    return found;
  }
  void change();

  bool is_rotational_;
  uint32_t changes_ = 0;
  uint64_t jumps_ = 0;
  uint64_t since_change_ = 0;
  uint64_t agreeing_ = 0;  // in a row, for solid media
  uint64_t needed_ = 1;    // of them
  std::array<uint32_t, kWindow> window_us_ = {};
};

}  // namespace seekless::runtime
