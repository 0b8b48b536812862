// Turns the timestamps of strace's lines, of any kind, into time since the first line.
#pragma once

#include <cstdint>

#include "packer/trace/event.h"
#include "packer/trace/internal/strace_line.h"

namespace seekless {

class LineClock {
 public:
  // Returns false if the time is absurdly large.
  bool advance(const StraceLine& line) {
    switch (line.clock) {
      case StraceClock::none:
        return true;
      case StraceClock::relative:
        if (!is_begun_) break;
        return go_to(now_ns_ + line.time_ns);
      case StraceClock::time_of_day:
        if (!is_begun_ || is_unix_) break;
        // Past midnight the clock starts anew; a small step back only means that lines are out of
        // order.
        if (line.time_ns + days_ns_ - base_ns_ < now_ns_ - kDayNs / 2) days_ns_ += kDayNs;
        return go_to(line.time_ns + days_ns_ - base_ns_);
      case StraceClock::unix_time:
        if (!is_unix_) break;
        return go_to(line.time_ns - base_ns_);
    }
    // This is the first line, or the first one of another clock, so time continues from where it
    // is.
    is_begun_ = true;
    is_unix_ = line.clock == StraceClock::unix_time;
    if (is_unix_ && now_ns_ == 0) began_unix_ns_ = line.time_ns;
    days_ns_ = 0;
    base_ns_ = line.time_ns - now_ns_;
    return true;
  }
  // Without times, a call is taken to last at least its duration.
  void pass(int64_t duration_ns) {
    if (!is_begun_ && duration_ns > 0) go_to(now_ns_ + duration_ns);
  }
  bool has_times() const { return is_begun_; }
  int64_t now_ns() const { return now_ns_; }
  int64_t began_unix_ns() const { return began_unix_ns_; }

 private:
  static constexpr int64_t kDayNs = int64_t{86400} * 1'000'000'000;

  bool go_to(int64_t time_ns) {
    if (time_ns < -kTimeLimitNs || time_ns > kTimeLimitNs) return false;
    now_ns_ = time_ns;
    return true;
  }

  bool is_begun_ = false;
  bool is_unix_ = false;
  int64_t base_ns_ = 0;
  int64_t days_ns_ = 0;
  int64_t now_ns_ = 0;
  int64_t began_unix_ns_ = 0;
};

}  // namespace seekless
