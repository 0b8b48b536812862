// Sorts events by start time, for recorders that report a call when it ends. It holds back the
// events that began after a call that hasn't ended yet, up to a fixed number of events.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "packer/trace/event.h"

namespace seekless {

// Holds an event until it can be put in order by its start.
struct HeldEvent {
  Event event;
  uint64_t sequence = 0;  // keeps events with equal times in the order they came

  bool operator>(const HeldEvent& other) const {
    return std::pair(event.start_ns, sequence) > std::pair(other.event.start_ns, other.sequence);
  }
};
using HeldEvents = std::priority_queue<HeldEvent, std::vector<HeldEvent>, std::greater<>>;

class EventWindow {
 public:
  // This many events take about 4 MB. A load of a game has a few dozen calls open at most. If a
  // call blocks while more events than this arrive, its own event comes late.
  static constexpr size_t kMaxHeld = size_t{1} << 16;

  explicit EventWindow(TraceSink& sink) : sink_(sink) {}

  // Identifies a running call that may give an event.
  using Running = std::pair<int64_t, uint64_t>;  // start time, and a unique number
  Running call_begins(int64_t start_ns) { return *running_.emplace(start_ns, sequence_++).first; }
  // Notes that a call has ended, or never will. Its own event, if any, is added before.
  Result<void> call_ends(const Running& call);
  // Stops waiting for calls that began before `start_ns`; the events of those may come late.
  Result<void> stop_waiting_before(int64_t start_ns);
  Result<void> add(const Event& event);
  // Hands on all events that are still held back.
  Result<void> finish();

 private:
  Result<void> release();
  Result<void> release_first();

  TraceSink& sink_;
  HeldEvents held_;
  std::set<Running> running_;
  uint64_t sequence_ = 0;
};

}  // namespace seekless
