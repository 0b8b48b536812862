// Replaying traces, for the commands that simulate.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/command/internal/inputs.h"
#include "packer/simulate/replay.h"

namespace seekless {

// Feeds every trace to `runs`, and warns of what its reading brings up. `warnings` takes what is
// said of all traces together, too, if it isn't null.
Result<void> read_traces(
    TraceReader& reader, TraceRuns& runs, const Output& output,
    std::vector<std::string>* warnings = nullptr,
    const std::function<Result<void>(const std::string& trace)>& after_each =
        [](const std::string&) { return Result<void>(); });

// Feeds every trace to `replay`. A trace without any read of the content is an error; what a trace
// reads past a file's end is warned of. `warnings` takes the latter, too, if it isn't null.
Result<void> replay_traces(const TraceOptions& options, const Content& content,
                           BaselineReplay& replay, const Output& output,
                           std::vector<std::string>* warnings = nullptr);

// Warns of reads past files' ends.
void warn_of_past_ends(const ContentRuns& runs, const Content& content, const Output& output,
                       std::vector<std::string>* warnings = nullptr);

}  // namespace seekless
