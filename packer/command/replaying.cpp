#include "packer/command/replaying.h"

#include <fmt/format.h>

namespace seekless {
namespace {

uint64_t count_runs(const BaselineReplay& replay) {
  uint64_t count = 0;
  for (const auto& [scenario, runs] : replay.runs()) count += runs.size();
  return count;
}

}  // namespace

Result<void> replay_traces(const TraceOptions& options, const Content& content,
                           BaselineReplay& replay, const Output& output,
                           std::vector<std::string>* warnings) {
  auto import_options = options.import_options();
  if (!import_options) return std::unexpected(import_options.error());
  for (const std::string& trace : options.paths) {
    const uint64_t runs_before = count_runs(replay);
    replay.start_trace(scenario_of_file(trace));
    const auto report = read_trace(trace, *import_options, replay);
    if (!report) return std::unexpected(report.error());
    for (const std::string& warning : report->warnings) output.warn(warning);
    replay.finish_trace();
    if (count_runs(replay) == runs_before)
      return damaged({.file = trace,
                      .expected = "reads of the content",
                      .found = "none",
                      .advice = "name the content's place in the trace with --map FROM=TO"});
  }
  for (const auto& [source, reads] : replay.reads_past_end()) {
    const std::string warning = fmt::format(
        "{}: {} reads in the traces go past its end, {} bytes; they are cut. Was it "
        "changed since they were recorded?",
        content.sources[source].path, reads, content.sources[source].size_bytes);
    output.warn(warning);
    if (warnings != nullptr) warnings->push_back(warning);
  }
  return {};
}

}  // namespace seekless
