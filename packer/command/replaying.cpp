#include "packer/command/replaying.h"

#include <fmt/format.h>

#include "packer/command/progress.h"
#include "packer/command/trace_reader.h"
#include "packer/host/counted.h"

namespace seekless {

void warn_of_past_ends(const ContentRuns& runs, const Content& content, const Output& output,
                       std::vector<std::string>* warnings) {
  for (const auto& [source, reads] : runs.reads_past_end()) {
    const std::string warning = fmt::format(
        "{}: {} past its end, {}; they are cut. Was it changed since they were recorded?",
        content.sources[source].path,
        counted(reads, "read in the traces goes", "reads in the traces go"),
        counted(content.sources[source].size_bytes, "byte"));
    output.warn(warning);
    if (warnings != nullptr) warnings->push_back(warning);
  }
}

Result<void> replay_traces(const TraceOptions& options, const Content& content,
                           BaselineReplay& replay, const Output& output,
                           std::vector<std::string>* warnings) {
  auto reader = TraceReader::create(options, &content);
  if (!reader) return std::unexpected(reader.error());
  const auto progress = Progress::of_reading("reading recordings", options.paths);
  for (const std::string& trace : options.paths) {
    const uint64_t runs_before = replay.run_count();
    replay.start_trace(scenario_of_file(trace));
    const auto report = reader->read(trace, replay);
    if (!report) return std::unexpected(report.error());
    for (const std::string& warning : report->warnings) output.warn(warning);
    replay.finish_trace();
    if (replay.run_count() == runs_before)
      return damaged({.file = trace,
                      .expected = "reads of the content",
                      .found = "none",
                      .advice = "name the content's place in the trace with --map FROM=TO"});
  }
  for (const std::string& warning : reader->warnings()) {
    output.warn(warning);
    if (warnings != nullptr) warnings->push_back(warning);
  }
  warn_of_past_ends(replay, content, output, warnings);
  return {};
}

}  // namespace seekless
