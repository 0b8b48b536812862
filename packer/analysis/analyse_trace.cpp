#include "packer/analysis/analyse_trace.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/analysis/internal/cold_replay.h"
#include "packer/analysis/internal/ordered_runs.h"
#include "packer/profile/unmapped.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

// Makes the second pass. Returns a warning if the trace can't be replayed.
Result<std::optional<std::string>> replay(const std::string& trace, TraceReader& reader,
                                          const AnalysisSettings& settings,
                                          const TraceAnalyser& analyser,
                                          std::vector<RunFigures>& runs) {
  auto cold = ColdReplay::create(settings.drive, settings.content, analyser.paths());
  if (!cold)
    return fmt::format("{}: {}; the model's seconds are left out", trace, cold.error().message);
  OrderedRuns ordered(**cold, scenario_of_file(trace));
  TraceRuns* const shipped = settings.also_replayed;
  if (shipped != nullptr) shipped->start_trace(scenario_of_file(trace));
  BothSinks both(ordered, shipped);
  settings.begin_pass("simulating");
  SKL_TRY_DROP(reader.read(trace, both));
  ordered.finish();
  if (shipped != nullptr) shipped->finish_trace();
  add_cold_figures(**cold, runs);
  return std::nullopt;
}

void warn_of_trace(const std::string& trace, const ImportReport& report, const OrderedRuns& ordered,
                   const std::vector<RunFigures>& runs, std::vector<std::string>& warnings) {
  for (const std::string& warning : report.warnings) warnings.push_back(warning);
  for (const UnparsedLine& line : report.first_unparsed)
    warnings.push_back(fmt::format("{}: line {}: can't be parsed, and is left out: '{}'", trace,
                                   line.number, line.text));
  if (ordered.marks_passed_over() > 0)
    warnings.push_back(fmt::format("{}: {} marks after the first {} are passed over", trace,
                                   ordered.marks_passed_over(), OrderedRuns::kMaxRuns));
  if (ordered.events_left_out() > 0)
    warnings.push_back(fmt::format("{}: {} events of files below /proc, /sys and /dev are left out",
                                   trace, ordered.events_left_out()));
  for (const RunFigures& run : runs) {
    if (!run.content || run.bytes == 0) continue;
    const double share =
        1 - static_cast<double>(run.content->outside_bytes) / static_cast<double>(run.bytes);
    if (share < kLeastMappedShare)
      warnings.push_back(fmt::format(
          "{}: only {:.0f} % of the bytes read are of the content, and the model's figures leave "
          "out the others. Select reads with --only, or add content or --map",
          trace, share * 100));
  }
}

}  // namespace

Result<std::vector<RunFigures>> analyse_trace(const std::string& trace, TraceReader& reader,
                                              const AnalysisSettings& settings, TraceSink* drawn,
                                              std::vector<std::string>& warnings) {
  TraceAnalyser analyser(trace_stem(trace), settings.content, settings.top);
  OrderedRuns ordered(analyser, scenario_of_file(trace));
  BothSinks both(ordered, drawn);
  settings.begin_pass("reading recordings");
  SKL_TRY_DO(reader.keep(trace));
  SKL_TRY(const auto report, reader.read(trace, both));
  ordered.finish();
  std::vector<RunFigures> runs = analyser.take_runs();
  warn_of_trace(trace, report, ordered, runs, warnings);
  if (std::ranges::none_of(runs, [](const RunFigures& run) { return run.reads > 0; })) return runs;
  SKL_TRY(const auto warning, replay(trace, reader, settings, analyser, runs));
  if (warning) warnings.push_back(*warning);
  return runs;
}

}  // namespace seekless
