// seekless warm: reads what a scenario needs into the page cache, in the order of the disk. It is
// for games whose files can't be changed. Result: {command, scenario, files, missing: [path],
// left_out: [path], reads, bytes, wanted_bytes, cached_bytes, fetched_bytes, seconds, dry_run,
// forecast_seconds, as_shipped_seconds, failures: [text]}
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packer/answer/warm_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/replaying.h"
#include "packer/command/internal/warm_inputs.h"
#include "packer/command/progress.h"
#include "packer/drive/profile.h"
#include "packer/drive/sweep.h"
#include "packer/host/interrupt.h"
#include "packer/host/machine.h"
#include "packer/simulate/shipped_loads.h"
#include "packer/warm/system_cache.h"
#include "packer/warm/warm_forecast.h"
#include "packer/warm/warm_plan.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

struct WarmArguments {
  WarmSelection selection;
  std::string drive = kTargetDrive;
  uint64_t rate_bytes_per_s = 0;
  bool when_idle = false;
  bool is_dry = false;
  Output answer;
};

// Returns how many seconds the scenario's loads, or all loads, take as shipped. Returns none if
// that can't be computed: for packs, layouts, pipes, and files whose positions are unknown.
std::optional<double> as_shipped_s(const WarmArguments& arguments, const DriveProfile& drive) {
  const WarmSelection& of = arguments.selection;
  for (const std::string& path : of.inputs.paths)
    if (const auto kind = kind_of_source(path); !kind || *kind != WantedSource::trace)
      return std::nullopt;
  const auto content = of.content.empty() ? recorded_content(of.inputs)
                                          : scan_content(of.content, {.any_names = true});
  if (!content || content->sources.empty()) return std::nullopt;
  KeptRuns runs(*content);
  std::vector<std::string> told;
  auto reader = reader_of(of.inputs, &*content);
  if (!reader || !read_traces(*reader, runs, Output::collecting(told))) return std::nullopt;
  const auto lying = where_files_lie(*content, sources_read(runs), drive);
  if (!lying || !lying->are_real) return std::nullopt;
  double seconds = 0;
  for (const JudgedLoad& load : shipped_loads(runs, *content, drive, *lying).loads)
    if (of.scenario.empty() || load.name == of.scenario) seconds += load.as_shipped_s;
  return seconds;
}

Result<void> only_tell(const WarmArguments& arguments, const Command& command,
                       const DriveProfile& drive, std::span<const SweepRead> reads,
                       Warming warming) {
  const std::span<const FileExtents> files = warming.files.files;
  const FolderPlaces folders = places_of_folders(files);
  SKL_TRY(const auto seconds, forecast_warm(drive, files, folders, reads));
  warming.forecast = ForecastWarming{.drive = drive.name,
                                     .seconds = {},
                                     .as_shipped_s = as_shipped_s(arguments, drive),
                                     .unfound_files = count_unfound(files, folders)};
  if (warming.files.unplaced.size() < warming.files.found()) warming.forecast->seconds = seconds;
  arguments.answer.line(to_text(warming));
  arguments.answer.next(command.again({"-n", "--dry-run"}));
  return arguments.answer.result(to_json(warming));
}

WarmReport fill(const WarmArguments& arguments, std::span<const FileExtents> files,
                std::span<const SweepRead> reads, uint64_t bytes) {
  note_interrupts();
  Progress progress("warming", bytes);
  return fill_cache(
      files, reads,
      {.bytes_per_s = arguments.rate_bytes_per_s, .done_bytes = &progress.done_bytes()});
}

Result<void> check(const Warming& warming) {
  const WarmReport& report = warming.report;
  if (report.was_stopped)
    return failed({.place = "warm", .found = "the run interrupted", .advice = "run it again"});
  if (!report.failures.empty())
    return failed(
        {.file = warming.files.files.front().path,
         .found = counted(report.failures.size(), "read") + " that failed",
         .advice =
             "the game will fail to read them too: look for disk errors in the system's log"});
  return {};
}

Result<void> run(const WarmArguments& arguments, const Command& command) {
  const Output& answer = arguments.answer;
  SKL_TRY(const auto drive, get_drive(arguments.drive));
  SKL_TRY(auto inputs, read_warm_inputs(arguments.selection, answer));
  WarmPlan plan = plan_warm(std::move(inputs.wanted), drive);
  const std::vector<SweepRead>& reads = plan.reads;
  Warming warming = {.scenario = arguments.selection.scenario,
                     .left_out = std::move(inputs.left_out),
                     .files = std::move(plan.files),
                     .report = {}};
  warming.report = report_before(reads);
  const uint64_t bytes = warming.report.bytes;
  for (const std::string& warning : warnings_of(warming.files, bytes, memory_bytes()))
    answer.warn(warning);
  if (bytes == 0)
    return nothing_to_read(arguments.selection.inputs.paths.front(), warming.files,
                           warming.left_out);
  if (arguments.is_dry) return only_tell(arguments, command, drive, reads, std::move(warming));
  if (arguments.when_idle) SKL_TRY_DO(read_when_idle());

  warming.report = fill(arguments, warming.files.files, reads, bytes);
  answer.line(to_text(warming));
  for (const std::string& failure : warming.report.failures) answer.warn(failure);
  SKL_TRY_DO(answer.result(to_json(warming)));
  return check(warming);
}

}  // namespace

void add_warm(const Command& tool) {
  auto arguments = std::make_shared<WarmArguments>();
  const Command command =
      tool.add("warm", "Read what a scenario needs into memory before the game does");
  arguments->selection.inputs.add_to(
      command, "TRACE|LAYOUT.json|PACKSET", true,
      "Traces in any known dialect, layouts or pack sets; '-' is a trace on standard input");
  command.option({.name = "--scenario",
                  .takes = "NAME",
                  .help = "Read only what this scenario reads",
                  .usual = "all scenarios"},
                 arguments->selection.scenario);
  command.option({.name = "--content",
                  .takes = "PATH",
                  .help = "Read only these recorded files, or those in these folders",
                  .usual = "all but the system's own: libraries, drivers, fonts, caches",
                  .takes_list = true},
                 arguments->selection.content);
  command.option({.name = "--all",
                  .help = "Read everything in the recordings, even the system's own files",
                  .not_with = {"--content"}},
                 arguments->selection.takes_all);
  add_drive_option(command, arguments->drive);
  command.option({.name = "--rate",
                  .takes = "SIZE",
                  .help = "Limit reading to this many bytes per second, e.g. 20M",
                  .size = SizeUnits::powers_of_1000},
                 arguments->rate_bytes_per_s);
  command.option({.name = "--idle",
                  .help = "Read only while the drive is idle (works only with the BFQ scheduler)"},
                 arguments->when_idle);
  command.option({.name = "-n,--dry-run",
                  .help = "Print what would be read and how long that takes; read nothing"},
                 arguments->is_dry);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless warm traces/*.lz4 --scenario map/rush && game");
  command.runs([arguments, command] { return run(*arguments, command); });
}

}  // namespace seekless
