// Scenarios that may be runs of one: "boot-1" and "boot-2" may be two loads of the same, or two
// maps. What they read tells. Nobody is asked where names don't look so.
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
  std::string scenario;                // that they would be runs of
  std::vector<std::string> scenarios;  // as they are counted now, sorted
  std::vector<std::string> globs;      // of files, for --runs
  double least_share = 0;              // of what two of them read, that both do
};

// Takes all traces, one after the other; a trace that it knows already changes nothing.
class LikelyRuns final : public TraceSink {
 public:
  // `counts` says of which files reads count; those of the system are alike in all loads.
  // Scenarios that `rules` name aren't asked about.
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
  std::set<std::string> asked_about_;    // what names of files would be runs of
  std::map<std::string, Pieces> reads_;  // by scenario
  RunCutter cutter_;
  bool is_told_ = false;  // by a rule
  Pieces* into_ = nullptr;
  std::vector<uint64_t> paths_;  // hashes; 0: doesn't count
  uint64_t last_piece_ = 0;
};

// A sentence for the user.
std::string to_text(const LikelyRunsOfOne& found);

}  // namespace seekless
