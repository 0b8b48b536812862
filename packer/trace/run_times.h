// Measures how long a recorded run took, and how much of that time it waited for a drive. The input
// is the events of one run, nearly in order of their starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "packer/trace/event.h"

namespace seekless {

class RunTimes {
 public:
  // Events come nearly in order of their starts, so overlapping time is counted only once, with few
  // exceptions.
  void add(const Event& event) {
    const int64_t end_ns = event.start_ns + std::max<int64_t>(event.duration_ns, 0);
    first_ns_ = std::min(first_ns_, event.start_ns);
    last_ns_ = std::max(last_ns_, end_ns);
    const int64_t from_ns = std::max(covered_ns_, event.start_ns);
    if (event.kind != EventKind::read || !waited_for_drive(event) || end_ns <= from_ns) return;
    waiting_ns_ += end_ns - from_ns;
    covered_ns_ = end_ns;
  }

  // Returns the time from the first event's start to the last one's end; returns 0 if there are no
  // events.
  uint64_t span_ns() const {
    return last_ns_ < first_ns_ ? 0 : static_cast<uint64_t>(last_ns_ - first_ns_);
  }
  // Returns the part of that time in which at least one read waited for a drive.
  uint64_t waiting_ns() const { return static_cast<uint64_t>(waiting_ns_); }
  double besides_seconds() const {
    return static_cast<double>(span_ns() - std::min(span_ns(), waiting_ns())) / 1e9;
  }

 private:
  int64_t first_ns_ = INT64_MAX;
  int64_t last_ns_ = INT64_MIN;
  int64_t covered_ns_ = INT64_MIN;  // end of the latest read so far
  int64_t waiting_ns_ = 0;
};

// Returns true if the recorder slows the program so much that its recorded time means little.
// Recorders that stop the program at each call do. The kernel's own records (blocks, file systems,
// Windows' events) don't. Unknown dialects count as slowing.
inline bool slows_the_recorded(std::string_view dialect) {
  return dialect != "blkparse" && dialect != "biosnoop" && dialect != "ext4slower" &&
         dialect != "xperf";
}

}  // namespace seekless
