// What loads cost on a drive: the game as it was recorded on its own files, and the sweep of packs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/profile.h"
#include "packer/report/report.h"
#include "packer/trace/event.h"

namespace seekless {

struct Simulated {
  LoadCost cost;
  std::vector<HeadMove> moves;
};

// Replays traces as the recorded game read: each read goes through the operating system's page
// cache and read-ahead to a drive on which the content's files lie one behind the other, in the
// order they were scanned. Each run starts with nothing in memory. Feed it one trace after the
// other, between start_trace and finish_trace. Files outside of the content cost nothing.
class BaselineReplay final : public TraceSink {
 public:
  // Fails if the content doesn't fit on the drive: ask before making one.
  static Result<void> fits(const Content& content, const DriveProfile& drive);
  // `content` must outlive it.
  BaselineReplay(const Content& content, const DriveProfile& drive);

  void start_trace(std::string scenario);
  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  void finish_trace() { finish_run(); }

  // By scenario, each run's.
  const std::map<std::string, std::vector<Simulated>>& runs() const { return runs_; }

 private:
  void finish_run();
  void replay(std::vector<Event>& events, Simulated& into);

  const Content& content_;
  const Locator locator_;
  const DriveProfile drive_;
  std::string trace_scenario_;
  std::string scenario_;
  std::vector<uint32_t> files_;  // of each path of the trace, in Content::sources; or none
  std::vector<Event> events_;    // of this run, on the content's files
  std::map<std::string, std::vector<Simulated>> runs_;
};

// Sweeps `scenario` of the pack set in `folder` by the runtime itself, from the catalog on. The
// packs lie one behind the other. Error: what the runtime says of a damaged set.
struct SimulatedSweep {
  Simulated simulated;
  uint64_t assets = 0;
  uint64_t needed_bytes = 0;
};
Result<SimulatedSweep> simulate_sweep(const std::string& folder, const std::string& scenario,
                                      const DriveProfile& drive);

// Needed bytes at the rate of the drive's start and one seek: what no order and no reader beats.
double bound_seconds(const DriveProfile& drive, uint64_t needed_bytes);

}  // namespace seekless
