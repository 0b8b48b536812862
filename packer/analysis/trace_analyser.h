// Makes the first pass over a trace: counts, sizes, order and times. Takes the trace's events, and
// returns a RunFigures for each run in it. Memory is in proportion to the files, threads, processes
// and entries of one run and to the separate pieces of files it reads, not to its reads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "packer/analysis/analysis.h"
#include "packer/analysis/internal/ordered_runs.h"
#include "packer/content/content.h"
#include "packer/content/locator.h"

namespace seekless {

// Holds content and its locator. Both must outlive their users.
struct KnownContent {
  const Content& content;
  const Locator& locator;
};

// A file of a trace.
struct TracePath {
  std::string name;
  std::optional<uint32_t> source;  // index in Content::sources
  uint32_t same_as = 0;            // the first path that names this file; mostly this path itself
  uint64_t end_bytes = 0;          // end of the read that reaches farthest
};

class RunAnalyser;

class TraceAnalyser final : public RunVisitor {
 public:
  // `content` may be null. Each list gets at most `top` lines.
  TraceAnalyser(std::string trace, const KnownContent* content, size_t top);
  ~TraceAnalyser() override;

  void add_path(uint32_t path, std::string_view name) override;
  void begin_run(const std::string& scenario, std::optional<int64_t> begins_ns) override;
  void add_event(const Event& event) override;
  void end_run(std::optional<int64_t> ends_ns) override;

  // Returns the runs with at least one event, in order.
  std::vector<RunFigures> take_runs() { return std::move(runs_); }
  // Returns the paths by number. Those that aren't on a disk have no name.
  const std::vector<TracePath>& paths() const { return paths_; }

 private:
  std::string trace_;
  const KnownContent* content_;
  size_t top_;
  std::vector<TracePath> paths_;
  std::unordered_map<uint32_t, uint32_t> path_of_source_;
  std::unique_ptr<RunAnalyser> run_;
  std::vector<RunFigures> runs_;
};

}  // namespace seekless
