// How long a recorded run took, and for how much of that it waited for a drive: from the events of
// one run, nearly in the order of their starts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "packer/trace/event.h"

namespace seekless {

class RunTimes {
 public:
  // Events come nearly in order of their starts, so what overlaps is counted once but for a few.
  void add(const Event& event) {
    const int64_t end_ns = event.start_ns + std::max<int64_t>(event.duration_ns, 0);
    first_ns_ = std::min(first_ns_, event.start_ns);
    last_ns_ = std::max(last_ns_, end_ns);
    const int64_t from_ns = std::max(covered_ns_, event.start_ns);
    if (event.kind != EventKind::read || !waited_for_drive(event) || end_ns <= from_ns) return;
    waiting_ns_ += end_ns - from_ns;
    covered_ns_ = end_ns;
  }

  // From the first event's start to the last one's end; 0 without events.
  uint64_t span_ns() const {
    return last_ns_ < first_ns_ ? 0 : static_cast<uint64_t>(last_ns_ - first_ns_);
  }
  // Of that, while at least one read waited for a drive.
  uint64_t waiting_ns() const { return static_cast<uint64_t>(waiting_ns_); }
  double besides_seconds() const {
    return static_cast<double>(span_ns() - std::min(span_ns(), waiting_ns())) / 1e9;
  }

 private:
  int64_t first_ns_ = INT64_MAX;
  int64_t last_ns_ = INT64_MIN;
  int64_t covered_ns_ = INT64_MIN;  // all reads so far had ended by then
  int64_t waiting_ns_ = 0;
};

// Whether recording so slows the program down that the time it took says little of the program:
// whatever stops it at each call. The kernel's own records (of blocks, of file systems, of Windows'
// events) don't. What isn't known is taken to.
inline bool slows_the_recorded(std::string_view dialect) {
  return dialect != "blkparse" && dialect != "biosnoop" && dialect != "ext4slower" &&
         dialect != "xperf";
}

}  // namespace seekless
