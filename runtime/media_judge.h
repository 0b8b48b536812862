// Decides by the time of jumps whether a device is rotational. It is pure, without a clock or
// files: the scheduler reports each read that waited for the device, and tests can report anything.
//
// It begins with the system's information, which may be wrong: virtual disks claim to be
// rotational, and network shares say nothing. A hard disk takes 5 to 15 ms for a jump of 16 MiB or
// more (a seek of at least 1 ms and half a turn); a device without a head takes less than 2 ms.
// Don't report reads from the page cache: they say nothing about the device. A disk with a fast
// cache in front answers like an SSD while the cache has the data. So if a third of the jumps are
// slow, the device counts as a disk, and after each such change it takes twice as long until it
// counts as solid again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace seekless::runtime {

// A read that waited for the device.
struct TimedRead {
  // Distance from the end of the previous read to its start, in either direction.
  uint64_t jump_bytes = 0;
  uint64_t length_bytes = 0;
  // Time that the device took: since the read began, or since a later end of another read.
  uint64_t took_us = 0;
};

class MediaJudge {
 public:
  // Shorter jumps say little, because drives read ahead.
  static constexpr uint64_t kFarBytes = uint64_t{16} << 20;
  // The time of a longer read depends more on the transfer rate than on the jump.
  static constexpr uint64_t kShortBytes = 128 * 1024;
  static constexpr size_t kWindow = 32;  // how many of the latest jumps count

  explicit MediaJudge(bool is_rotational) : is_rotational_(is_rotational) {}

  // Returns true if the verdict has changed.
  bool note(const TimedRead& read);
  bool is_rotational() const { return is_rotational_; }
  // Returns true if there is no verdict yet, and only short reads can produce one.
  bool needs_short_reads() const { return is_rotational_ && since_change_ < kWindow; }

  uint64_t jumps() const { return jumps_; }  // jumps that counted
  uint32_t changes() const { return changes_; }
  // Returns the median time of the latest jumps, without the transfer time.
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
  uint64_t agreeing_ = 0;  // consecutive notes that indicate an SSD
  uint64_t needed_ = 1;    // number of such notes needed to change the verdict
  std::array<uint32_t, kWindow> window_us_ = {};
};

}  // namespace seekless::runtime
