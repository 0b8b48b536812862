// Analyses one trace in two passes: what was read, and what the model of a drive makes of it.
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
  size_t top = 10;                        // lines of each list, at most
  TraceRuns* also_replayed = nullptr;     // is given the trace in the second pass; may be null
  // Told when a pass begins, and what it does.
  std::function<void(const std::string& what)> begin_pass;
};

// `drawn` is given the trace in the first pass; it may be null. A pipe can be read only once: then
// the model's figures are left out, with a warning. Other warnings tell what was left out of the
// figures, and why.
Result<std::vector<RunFigures>> analyse_trace(const std::string& trace, TraceReader& reader,
                                              const AnalysisSettings& settings, TraceSink* drawn,
                                              std::vector<std::string>& warnings);

}  // namespace seekless
