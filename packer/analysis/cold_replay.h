// The second pass over a trace: charges its reads to a drive that has nothing in memory, now that
// it is known how long each file is. What the system's page cache and read-ahead do is modelled;
// memory is in proportion to the files and the parts of them that are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/analysis/analysis.h"
#include "packer/analysis/ordered_runs.h"
#include "packer/analysis/trace_analyser.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/profile.h"

namespace seekless {

// Files lie one behind the other from the drive's start on: those of the content in its order, or
// else those of the trace in the order they are first named, as long as the trace reads them. With
// content only its files are charged. Mapped memory isn't: which parts were touched isn't known.
class ColdReplay final : public RunVisitor {
 public:
  // All must outlive it; `content` may be null, `paths` are those of the first pass. The error says
  // which file doesn't fit on the drive.
  static Result<std::unique_ptr<ColdReplay>> create(const DriveProfile& drive,
                                                    const KnownContent* content,
                                                    const std::vector<TracePath>& paths);

  ~ColdReplay() override;

  void add_path(uint32_t, std::string_view) override {}
  void begin_run(const std::string& scenario, std::optional<int64_t> begins_ns) override;
  void add_event(const Event& event) override;
  void end_run(std::optional<int64_t> ends_ns) override;

  // One for each run with at least one event, in their order; none in it if no read was charged.
  const std::vector<std::optional<LoadCost>>& costs() const { return costs_; }
  const std::vector<uint64_t>& travels_bytes() const { return travels_bytes_; }

 private:
  struct Lying {
    uint64_t position_bytes = 0;
    uint64_t size_bytes = 0;
  };
  static constexpr uint32_t kNowhere = UINT32_MAX;

  explicit ColdReplay(const DriveProfile& drive);

  const DriveProfile& profile_;
  std::vector<Lying> files_;
  std::vector<uint32_t> file_of_path_;  // in files_, or kNowhere
  // Of the run at hand.
  struct Machine;
  std::unique_ptr<Machine> machine_;

  std::vector<std::optional<LoadCost>> costs_;
  std::vector<uint64_t> travels_bytes_;
};

// Adds what the replay found to the runs of the same trace.
void add_cold_figures(const ColdReplay& replay, const DriveProfile& drive,
                      std::vector<RunFigures>& runs);

}  // namespace seekless
