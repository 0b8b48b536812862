// Collects the recorded reads of the content, run by run and in order, for replays. Files outside
// the content are left out; reads past a file's end are cut off and counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/simulate/recorded_fit.h"
#include "packer/trace/event.h"
#include "packer/trace/run_times.h"
#include "packer/trace/runs.h"
#include "packer/trace/trace_runs.h"

namespace seekless {

struct ContentRun {
  RunId id;
  std::string scenario;
  std::vector<Event> events;  // sorted by start; Event::path is an index in Content::sources
  // The time of the recorded load in which no read of the content waited for a drive.
  double besides_seconds = 0;
  bool is_slowed = true;     // the recorder slowed the program
  bool knows_sizes = false;  // true if some event has a length, not only a file
};

// Takes one trace after the other, each between start_trace and finish_trace. Passes on each run
// that has events.
class ContentRuns : public TraceRuns {
 public:
  // `content` must outlive this object.
  explicit ContentRuns(const Content& content)
      : content_(content), locator_(content), fit_(content) {}

  void start_trace(std::string scenario) final;
  Result<void> begin(const TraceHeader& header) final;
  Result<void> add_path(std::string_view path) final;
  Result<void> add_event(const Event& event) final;
  Result<void> add_mark(const Mark& mark) final;
  void finish_trace() final { finish_run(); }

  // These return the number of runs, and the reads past each file's end, by index in
  // Content::sources.
  uint64_t run_count() const { return run_count_; }
  const std::map<uint32_t, uint64_t>& reads_past_end() const { return fit_.reads_past_end(); }
  RecordedFit fit() const { return fit_.fit(); }

 protected:
  // `run` may be moved from; its memory is reused for the next one.
  virtual void take(ContentRun& run) = 0;

  const Content& content_;
  const Locator locator_;

 private:
  void finish_run();

  uint32_t traces_ = 0;
  RunCutter cutter_;
  // For each path of the trace, its index in Content::sources, or none.
  std::vector<uint32_t> files_;
  ContentRun run_;
  RunTimes times_;
  bool is_slowed_ = true;  // the recorder of this trace slows the program
  uint64_t run_count_ = 0;
  FitCounter fit_;
};

// Keeps all runs, for replaying them more than once. Takes 24 bytes for each event, because it
// keeps the order of the events, but not their times.
class KeptRuns final : public ContentRuns {
 public:
  using ContentRuns::ContentRuns;

  size_t size() const { return runs_.size(); }
  const RunId& id(size_t number) const { return runs_[number].run.id; }
  const std::string& scenario(size_t number) const { return runs_[number].run.scenario; }
  // Returns a run whose events have no times; its threads are numbered from 0, as if they belonged
  // to one process.
  ContentRun run(size_t number) const;

 protected:
  void take(ContentRun& run) override;

 private:
  struct KeptEvent {
    uint64_t offset_bytes;
    uint64_t length_bytes;
    uint32_t path;
    uint32_t thread : 30;
    uint32_t kind : 2;
  };
  struct KeptRun {
    ContentRun run;  // the run without its events
    std::vector<KeptEvent> events;
  };

  std::vector<KeptRun> runs_;
};

}  // namespace seekless
