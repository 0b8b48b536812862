// Decides, for every reader of traces, to which run and scenario a read belongs. A run is one
// recording of one scenario. It begins with its trace, and with each mark in the trace; after a
// scenario's end mark, reads belong to the trace's own scenario.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include "packer/trace/event.h"

namespace seekless {

// Identifies a run by numbers, because files in different folders may have the same name.
struct RunId {
  uint32_t trace = 0;  // the trace's index, in the order they were started
  uint32_t part = 0;   // number of marks before the run in that trace

  auto operator<=>(const RunId&) const = default;
};

class RunCutter {
 public:
  // Starts the next trace, to which the next events belong. `scenario` is used if the trace itself
  // names none.
  void start_trace(uint32_t trace, std::string scenario) {
    id_ = {trace, 0};
    trace_scenario_ = scenario_ = std::move(scenario);
  }
  void begin(const TraceHeader& header) {
    if (!header.scenario.empty()) trace_scenario_ = scenario_ = header.scenario;
  }
  // Ends the run and begins the next one.
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
