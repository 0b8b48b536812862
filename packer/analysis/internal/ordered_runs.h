// Splits a trace into runs (one recording of one scenario each) and sorts the events of each by
// their start. Both passes over a trace use it, so that they see the same runs.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/trace/event.h"
#include "packer/trace/event_window.h"
#include "packer/trace/runs.h"

namespace seekless {

class RunVisitor {
 public:
  virtual ~RunVisitor() = default;
  // Called for each path that is a file on a disk, once, before its events. `path` is its number.
  virtual void add_path(uint32_t path, std::string_view name) = 0;
  // `begins_ns` is set if a mark gives it.
  virtual void begin_run(const std::string& scenario, std::optional<int64_t> begins_ns) = 0;
  // Called in the order of starts. An event that comes after more than OrderedRuns::kMaxHeld later
  // ones is out of order.
  virtual void add_event(const Event& event) = 0;
  virtual void end_run(std::optional<int64_t> ends_ns) = 0;
};

// RunCutter decides where runs begin.
class OrderedRuns final : public TraceSink {
 public:
  // Up to about 5 MB of events are held back for sorting.
  static constexpr size_t kMaxHeld = size_t{1} << 16;
  // Further marks are skipped and counted, so that no trace can ask for more results than this.
  static constexpr uint64_t kMaxRuns = 1000;

  // `visitor` must outlive it. `default_scenario` is for traces that name none.
  OrderedRuns(RunVisitor& visitor, std::string default_scenario) : visitor_(visitor) {
    cutter_.start_trace(0, std::move(default_scenario));
  }

  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  // Must be called once, at the end.
  void finish();

  const TraceHeader& header() const { return header_; }
  uint64_t marks_passed_over() const { return marks_passed_over_; }
  // Counts events of files that aren't on a disk: /proc, /sys, /dev.
  uint64_t events_left_out() const { return events_left_out_; }

 private:
  void begin_run(std::optional<int64_t> begins_ns);
  void end_run(std::optional<int64_t> ends_ns);
  void release_first();

  RunVisitor& visitor_;
  TraceHeader header_;
  RunCutter cutter_;
  std::vector<bool> is_on_disk_;  // indexed by path
  // Most events come in order and need no heap.
  std::deque<HeldEvent> in_order_;
  HeldEvents out_of_order_;
  uint64_t sequence_ = 0;
  uint64_t runs_ = 0;
  uint64_t marks_passed_over_ = 0;
  uint64_t events_left_out_ = 0;
  bool is_running_ = false;
};

}  // namespace seekless
