// Replays traces, for the commands that simulate.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/command/internal/inputs.h"
#include "packer/simulate/replay.h"

namespace seekless {

// Feeds every trace to `runs`, and prints warnings about each. If `warnings` isn't null, it also
// receives the warnings about all traces together.
Result<void> read_traces(
    TraceReader& reader, TraceRuns& runs, const Output& output,
    std::vector<std::string>* warnings = nullptr,
    const std::function<Result<void>(const std::string& trace)>& after_each =
        [](const std::string&) { return Result<void>(); });

// Feeds every trace to `replay`. Returns an error for a trace that reads none of the content, and
// warns about reads past the end of a file. If `warnings` isn't null, it also receives these
// warnings.
Result<void> replay_traces(const TraceOptions& options, const Content& content,
                           BaselineReplay& replay, const Output& output,
                           std::vector<std::string>* warnings = nullptr);

// Warns about reads past the end of a file.
void warn_of_past_ends(const ContentRuns& runs, const Content& content, const Output& output,
                       std::vector<std::string>* warnings = nullptr);

}  // namespace seekless
