// Decides how many reads of another machine's files are under way at once. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace seekless {

class FarWindow {
 public:
  // Notes how long a read took from its beginning to its end.
  void note(double seconds) {
    if (seconds < kOfMemoryS) return;
    fastest_s_ = std::min(fastest_s_, seconds);
    if (seconds < fastest_s_ * kCrowdedTimes) {
      size_ = std::min(kMost, size_ + 1);
      return;
    }
    // All reads that are under way together show the same delay, so only one in four counts.
    if (++crowded_ % kCrowdedReads == 0) size_ = std::max(kFewest, size_ - 1);
  }
  size_t size() const { return size_; }

 private:
  static constexpr double kOfMemoryS = 0.0005;  // a faster read needed no request
  static constexpr size_t kFewest = 2;
  static constexpr size_t kMost = 32;
  static constexpr double kCrowdedTimes = 3;
  static constexpr size_t kCrowdedReads = 4;

  size_t size_ = 4;
  size_t crowded_ = 0;
  double fastest_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace seekless
