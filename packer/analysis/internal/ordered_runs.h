// Cuts a trace into runs (one recording of one scenario each) and puts the events of each in order
// of their start: what both passes over a trace stand on, so that they see the same.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "packer/trace/event.h"
#include "packer/trace/runs.h"

namespace seekless {

class RunVisitor {
 public:
  virtual ~RunVisitor() = default;
  // A path that is a file on a disk; `path` is its number, each comes once, before its events.
  virtual void add_path(uint32_t path, std::string_view name) = 0;
  // `begins_ns` if a mark says so.
  virtual void begin_run(const std::string& scenario, std::optional<int64_t> begins_ns) = 0;
  // By start, but for those that came later than OrderedRuns::kMaxHeld others.
  virtual void add_event(const Event& event) = 0;
  virtual void end_run(std::optional<int64_t> ends_ns) = 0;
};

// RunCutter says where runs begin.
class OrderedRuns final : public TraceSink {
 public:
  // About 5 MB of events are held back to be put in order.
  static constexpr size_t kMaxHeld = size_t{1} << 16;
  // Further marks are passed over, and counted: no trace can ask for more results than this.
  static constexpr uint64_t kMaxRuns = 1000;

  // `visitor` must outlive it. `default_scenario` is for traces that name none.
  OrderedRuns(RunVisitor& visitor, std::string default_scenario) : visitor_(visitor) {
    cutter_.start_trace(0, std::move(default_scenario));
  }

  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  // Call it once, at the end.
  void finish();

  const TraceHeader& header() const { return header_; }
  uint64_t marks_passed_over() const { return marks_passed_over_; }
  // Events of files that no disk holds: /proc, /sys, /dev.
  uint64_t events_left_out() const { return events_left_out_; }

 private:
  struct HeldEvent {
    Event event;
    uint64_t sequence;  // keeps events of one time in the order they came
  };
  struct LaterHeld {
    bool operator()(const HeldEvent& a, const HeldEvent& b) const;
  };

  void begin_run(std::optional<int64_t> begins_ns);
  void end_run(std::optional<int64_t> ends_ns);
  void release_first();

  RunVisitor& visitor_;
  TraceHeader header_;
  RunCutter cutter_;
  std::vector<bool> is_on_disk_;  // by path
  // Most events come in order: those need no heap.
  std::deque<HeldEvent> in_order_;
  std::priority_queue<HeldEvent, std::vector<HeldEvent>, LaterHeld> out_of_order_;
  uint64_t sequence_ = 0;
  uint64_t runs_ = 0;
  uint64_t marks_passed_over_ = 0;
  uint64_t events_left_out_ = 0;
  bool is_running_ = false;
};

}  // namespace seekless
