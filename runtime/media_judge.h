// Judges by the time of jumps whether a device's head has to move. Pure, without a clock or files:
// the scheduler reports each read that waited for the device; tests can report whatever they
// like.
//
// It begins with what the system says of a device, which may be wrong: virtual disks call
// themselves rotational, and network shares say nothing. A hard disk takes 5 to 15 ms for a jump
// over 16 MiB and more (a seek of 1 ms at least, and half a turn); without a head it is less than
// 2. Reads from the system's cache say nothing of the device; don't report them. A disk with a fast
// cache in front answers like solid media while the cache has the data. So if a third of the jumps
// are slow, it counts as a disk, and each time it takes twice as long until it counts as solid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace seekless::runtime {

// A read that waited for the device.
struct TimedRead {
  uint64_t jump_bytes = 0;  // from the end of the read before to its beginning, either way
  uint64_t length_bytes = 0;
  uint64_t took_us = 0;  // of the device's time: since it began, or since another ended after that
};

class MediaJudge {
 public:
  // Shorter jumps say little, since drives read ahead.
  static constexpr uint64_t kFarBytes = uint64_t{16} << 20;
  // What a longer read takes depends on how fast bytes come more than on its jump.
  static constexpr uint64_t kShortBytes = 128 * 1024;
  static constexpr size_t kWindow = 32;  // the latest jumps count

  explicit MediaJudge(bool is_rotational) : is_rotational_(is_rotational) {}

  // True if the verdict is another now.
  bool note(const TimedRead& read);
  bool is_rotational() const { return is_rotational_; }
  // There is no verdict yet, and only short reads can lead to one.
  bool needs_short_reads() const { return is_rotational_ && since_change_ < kWindow; }

  uint64_t jumps() const { return jumps_; }  // that count
  uint32_t changes() const { return changes_; }
  // The time of the latest jumps, without the time in which the bytes came.
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
