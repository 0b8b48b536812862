// Finds scenarios that may be runs of one: "boot-1" and "boot-2" may be two loads of one map, or
// two maps. Their reads tell which is likely. The user is asked only about scenarios with such
// names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "packer/trace/event.h"
#include "packer/trace/run_name.h"
#include "packer/trace/runs.h"

namespace seekless {

struct LikelyRunsOfOne {
  std::string scenario;                // the scenario that they would belong to
  std::vector<std::string> scenarios;  // the scenarios as they are named now, sorted
  std::vector<std::string> globs;      // globs of the trace files, for --runs
  double least_share = 0;  // the smallest share of reads that any two of them have in common
};

// Takes all traces, one after the other. A trace that it already knows changes nothing.
class LikelyRuns final : public TraceSink {
 public:
  // `counts` says which files' reads count, because system files are the same in all loads.
  // Scenarios named in `rules` are skipped.
  LikelyRuns(const std::vector<std::string>& traces, std::vector<RunRule> rules,
             std::function<bool(std::string_view)> counts);

  void start_trace(const std::string& path);
  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;

  std::vector<LikelyRunsOfOne> find() const;

 private:
  using Pieces = std::unordered_set<uint64_t>;

  const std::vector<RunRule> rules_;
  const std::function<bool(std::string_view)> counts_;
  std::set<std::string> asked_about_;    // scenarios whose file names look like runs of one
  std::map<std::string, Pieces> reads_;  // keyed by scenario
  RunCutter cutter_;
  bool is_told_ = false;  // a rule already names the scenario
  Pieces* into_ = nullptr;
  std::vector<uint64_t> paths_;  // hashes of the paths; 0 if the path doesn't count
  uint64_t last_piece_ = 0;
};

// Returns a sentence for the user.
std::string to_text(const LikelyRunsOfOne& found);

}  // namespace seekless
