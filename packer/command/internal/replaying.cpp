#include "packer/command/internal/replaying.h"

#include <utility>

#include <fmt/format.h>

#include "packer/command/progress.h"
#include "packer/profile/trace_reader.h"
#include "packer/words/counted.h"

namespace seekless {

void warn_of_past_ends(const ContentRuns& runs, const Content& content, const Output& output,
                       std::vector<std::string>* warnings) {
  for (const auto& [source, reads] : runs.reads_past_end()) {
    const std::string warning = fmt::format(
        "{}: {} past its end, {}; these reads are shortened. Was the file changed after it was "
        "recorded?",
        content.sources[source].path,
        counted(reads, "read in the traces goes", "reads in the traces go"),
        counted(content.sources[source].size_bytes, "byte"));
    output.warn(warning);
    if (warnings != nullptr) warnings->push_back(warning);
  }
}

Result<void> read_traces(TraceReader& reader, TraceRuns& runs, const Output& output,
                         std::vector<std::string>* warnings,
                         const std::function<Result<void>(const std::string& trace)>& after_each) {
  const auto progress = Progress::of_reading("reading recordings", reader.paths());
  for (const std::string& trace : reader.paths()) {
    runs.start_trace(scenario_of_file(trace));
    SKL_TRY(const auto report, reader.read(trace, runs));
    for (const std::string& warning : report.warnings) output.warn(warning);
    runs.finish_trace();
    SKL_TRY_DO(after_each(trace));
  }
  for (const std::string& warning : reader.warnings()) {
    output.warn(warning);
    if (warnings != nullptr) warnings->push_back(warning);
  }
  return {};
}

Result<void> replay_traces(const TraceOptions& options, const Content& content,
                           BaselineReplay& replay, const Output& output,
                           std::vector<std::string>* warnings) {
  SKL_TRY(auto reader, reader_of(options, &content));
  uint64_t runs_before = 0;
  const auto has_reads = [&](const std::string& trace) -> Result<void> {
    if (std::exchange(runs_before, replay.run_count()) != replay.run_count()) return {};
    return damaged({.file = trace,
                    .expected = "reads of the content",
                    .found = "none",
                    .advice = "name the content's place in the trace with --map FROM=TO"});
  };
  SKL_TRY_DO(read_traces(reader, replay, output, warnings, has_reads));
  warn_of_past_ends(replay, content, output, warnings);
  return {};
}

}  // namespace seekless
