// Which run and which scenario a read belongs to: decided here alone, for every reader of traces.
// A run is one recording of one scenario. It begins with its trace, and with each mark in it; what
// follows the end of a scenario belongs to the trace's own.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include "packer/trace/event.h"

namespace seekless {

// Runs are told apart by numbers: names of files may be alike in different folders.
struct RunId {
  uint32_t trace = 0;  // its place among the traces, as they were started
  uint32_t part = 0;   // counts the marks of that trace before it

  auto operator<=>(const RunId&) const = default;
};

class RunCutter {
 public:
  // The next events come from this trace; `scenario` is for traces that name none.
  void start_trace(uint32_t trace, std::string scenario) {
    id_ = {trace, 0};
    trace_scenario_ = scenario_ = std::move(scenario);
  }
  void begin(const TraceHeader& header) {
    if (!header.scenario.empty()) trace_scenario_ = scenario_ = header.scenario;
  }
  // The run ends here, and the next one begins.
  void cut(const Mark& mark) {
    ++id_.part;
    scenario_ = mark.begins ? mark.scenario : trace_scenario_;
  }

  const RunId& id() const { return id_; }
  const std::string& scenario() const { return scenario_; }
  const std::string& trace_scenario() const { return trace_scenario_; }

 private:
  RunId id_;
  std::string trace_scenario_;
  std::string scenario_;
};

}  // namespace seekless
