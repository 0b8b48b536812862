// Measures when reads were under way, from their starts and durations in order of start. Takes
// memory for the reads under way at the same time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "packer/analysis/analysis.h"
#include "packer/analysis/sum.h"
#include "packer/trace/event.h"

namespace seekless {

class ReadClock {
 public:
  // Takes any event, for the span and the order.
  void see(const Event& event) {
    if (!first_ns_) first_ns_ = latest_start_ns_ = last_ns_ = event.start_ns;
    if (event.start_ns < latest_start_ns_) ++figures_.late_events;
    first_ns_ = std::min(*first_ns_, event.start_ns);
    latest_start_ns_ = std::max(latest_start_ns_, event.start_ns);
    last_ns_ = std::max(last_ns_, event.start_ns + std::max<int64_t>(event.duration_ns, 0));
  }

  // Takes a read with a known duration.
  void add(const Event& read) {
    const auto took_ns = static_cast<uint64_t>(read.duration_ns);
    const int64_t end_ns = read.start_ns + read.duration_ns;
    ++figures_.timed_reads;
    add_to(figures_.summed_ns, took_ns);
    if (waited_for_drive(read)) {
      ++figures_.waits;
      add_to(figures_.wait_ns, took_ns);
    }
    const int64_t new_from_ns = covered_ns_ ? std::max(*covered_ns_, read.start_ns) : read.start_ns;
    if (end_ns > new_from_ns) {
      add_to(figures_.read_ns, static_cast<uint64_t>(end_ns - new_from_ns));
      covered_ns_ = end_ns;
    }
    while (!ends_.empty() && ends_.top() <= read.start_ns) ends_.pop();
    if (ends_.size() < kMostAtOnce) ends_.push(end_ns);
    figures_.most_at_once = std::max<uint64_t>(figures_.most_at_once, ends_.size());
  }

  TimeFigures finish(std::optional<int64_t> begins_ns, std::optional<int64_t> ends_ns) {
    const int64_t first = std::min(first_ns_.value_or(0), begins_ns.value_or(INT64_MAX));
    const int64_t last = std::max(last_ns_, ends_ns.value_or(INT64_MIN));
    figures_.span_ns = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
    return figures_;
  }

 private:
  // More reads than this aren't counted; no queue of a drive or system is that long.
  static constexpr size_t kMostAtOnce = 4096;

  TimeFigures figures_;
  std::optional<int64_t> first_ns_;
  int64_t latest_start_ns_ = 0;
  int64_t last_ns_ = 0;
  std::optional<int64_t> covered_ns_;  // when the last of the reads so far ended
  std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends_;
};

}  // namespace seekless
