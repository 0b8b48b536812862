// Counts the runs of each scenario that read anything, in traces whose content isn't available.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "packer/trace/runs.h"
#include "packer/trace/trace_runs.h"

namespace seekless {

class ScenarioRuns final : public TraceRuns {
 public:
  void start_trace(std::string scenario) override { cutter_.start_trace(0, std::move(scenario)); }
  void finish_trace() override { finish_run(); }

  Result<void> begin(const TraceHeader& header) override {
    cutter_.begin(header);
    return {};
  }
  Result<void> add_path(std::string_view) override { return {}; }
  Result<void> add_event(const Event& event) override {
    reads_ = reads_ || event.kind != EventKind::open;
    return {};
  }
  Result<void> add_mark(const Mark& mark) override {
    finish_run();
    cutter_.cut(mark);
    return {};
  }

  const std::map<std::string, uint32_t>& counts() const { return counts_; }

 private:
  void finish_run() {
    if (std::exchange(reads_, false)) ++counts_[cutter_.scenario()];
  }

  RunCutter cutter_;
  bool reads_ = false;
  std::map<std::string, uint32_t> counts_;
};

}  // namespace seekless
