// Makes the second pass over a trace: replays its reads on a drive, with an empty page cache, once
// the length of each file is known. It models the system's page cache and read-ahead. Memory is in
// proportion to the files and the parts of them that are read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/analysis/analysis.h"
#include "packer/analysis/internal/ordered_runs.h"
#include "packer/analysis/trace_analyser.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/profile.h"

namespace seekless {

// Each file lies in one piece. Two layouts are replayed: a favourable one, with files one after
// another from the drive's start on; and one of a drive in long use, with files all over the drive.
// With content, the files are those of the content, in its order, and only they are replayed.
// Without content, the files are those of the trace, in the order in which it names them, each as
// long as the trace reads it. Mapped memory isn't replayed, because it isn't known which parts were
// touched.
class ColdReplay final : public RunVisitor {
 public:
  // All arguments must outlive it. `content` may be null; `paths` are those of the first pass. The
  // error names the file that doesn't fit on the drive.
  static Result<std::unique_ptr<ColdReplay>> create(const DriveProfile& drive,
                                                    const KnownContent* content,
                                                    const std::vector<TracePath>& paths);

  ~ColdReplay() override;

  void add_path(uint32_t, std::string_view) override {}
  void begin_run(const std::string& scenario, std::optional<int64_t> begins_ns) override;
  void add_event(const Event& event) override;
  void end_run(std::optional<int64_t> ends_ns) override;

  // Returns an element for each run with at least one event, in order. The element is empty if no
  // read of its run was replayed.
  const std::vector<std::optional<ColdFigures>>& figures() const { return figures_; }

 private:
  struct ReplayedPlace {
    uint64_t position_bytes = 0;   // place if the files lie side by side
    uint64_t scattered_bytes = 0;  // place if the files lie all over the drive
    uint64_t size_bytes = 0;
    bool is_archive = false;  // then a read known only by the file's name shows no entries
  };
  static constexpr uint32_t kNowhere = UINT32_MAX;

  explicit ColdReplay(const DriveProfile& drive);
  double bound_seconds(uint64_t ReplayedPlace::*position_bytes) const;

  const DriveProfile& profile_;
  std::vector<ReplayedPlace> files_;
  std::vector<uint32_t> file_of_path_;  // index in files_, or kNowhere
  class Machine;
  struct Run;
  std::unique_ptr<Run> run_;  // the current run
  std::vector<std::optional<ColdFigures>> figures_;
};

// Adds the replay's results to the runs of the same trace.
void add_cold_figures(const ColdReplay& replay, std::vector<RunFigures>& runs);

}  // namespace seekless
