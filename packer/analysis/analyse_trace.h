// Analyses one trace in two passes: the first finds what was read, the second replays it on the
// model of a drive.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "packer/analysis/analysis.h"
#include "packer/analysis/trace_analyser.h"
#include "packer/base/error.h"
#include "packer/drive/profile.h"
#include "packer/profile/trace_reader.h"
#include "packer/trace/event.h"
#include "packer/trace/trace_runs.h"

namespace seekless {

struct AnalysisSettings {
  DriveProfile drive;
  const KnownContent* content = nullptr;  // may be null
  size_t top = 10;                        // maximum number of lines in each list
  TraceRuns* also_replayed = nullptr;     // receives the trace in the second pass; may be null
  // Called when a pass begins, with a description of it.
  std::function<void(const std::string& what)> begin_pass;
};

// `drawn` receives the trace in the first pass; it may be null. Warnings say what the figures leave
// out, and why.
Result<std::vector<RunFigures>> analyse_trace(const std::string& trace, TraceReader& reader,
                                              const AnalysisSettings& settings, TraceSink* drawn,
                                              std::vector<std::string>& warnings);

}  // namespace seekless
