// seekless analyze: how a recorded program reads, what of it could be saved, and whether reading is
// what it waits for.
// Result: schemas/analysis.schema.json
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/analysis/analysis.h"
#include "packer/analysis/cold_replay.h"
#include "packer/analysis/ordered_runs.h"
#include "packer/analysis/trace_analyser.h"
#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/judging.h"
#include "packer/command/picture_of_trace.h"
#include "packer/command/picture_places.h"
#include "packer/command/progress.h"
#include "packer/command/trace_reader.h"
#include "packer/command/unmapped.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/picture/picture.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

struct Arguments {
  TraceOptions traces;
  ContentOptions content;
  std::vector<std::string> only;
  std::string scenario;
  std::string drive;  // none: what the content lies on
  size_t top = 10;
  std::string html;
  Output answer;
};

// The reads that a page shows, of all traces together: more than anyone can see.
constexpr size_t kMostDrawn = size_t{1} << 20;

// The second pass. A warning where it can't be made.
Result<std::optional<std::string>> replay(const std::string& trace, TraceReader& reader,
                                          const DriveProfile& drive, const KnownContent* content,
                                          const TraceAnalyser& analyser, BaselineReplay* shipped,
                                          std::vector<RunFigures>& runs) {
  if (kind_of_path(trace) != PathKind::file)
    return fmt::format(
        "{}: the model needs to read the trace twice, which a pipe doesn't allow; its seconds are "
        "left out. Give the trace as a file",
        trace);
  auto cold = ColdReplay::create(drive, content, analyser.paths());
  if (!cold)
    return fmt::format("{}: {}; the model's seconds are left out", trace, cold.error().message);
  OrderedRuns ordered(**cold, scenario_of_file(trace));
  if (shipped != nullptr) shipped->start_trace(scenario_of_file(trace));
  BothSinks both(ordered, shipped);
  const auto progress = Progress::of_reading("simulating", {trace});
  const auto report = reader.read(trace, both);
  if (!report) return std::unexpected(report.error());
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
    warnings.push_back(fmt::format("{}: {} marks behind the first {} are passed over", trace,
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
          "{}: only {:.0f} % of the bytes read are of the content; the others are in no figure of "
          "the model. Leave them out with --only, or add content or --map",
          trace, share * 100));
  }
}

Result<void> analyse_trace(const std::string& trace, const Arguments& arguments,
                           TraceReader& reader, const DriveProfile& drive,
                           const KnownContent* content, BaselineReplay* shipped, Analysis& analysis,
                           PicturePage& page) {
  TraceAnalyser analyser(trace_stem(trace), content, arguments.top);
  OrderedRuns ordered(analyser, scenario_of_file(trace));
  // Programs map libraries of many times what they read of their content.
  const auto is_content = [content](std::string_view path) {
    return content == nullptr || content->locator.find_file(path).has_value();
  };
  PictureOfTrace picture(kMostDrawn / arguments.traces.paths.size() + 1, is_content);
  const bool draws = !arguments.html.empty();
  BothSinks both(ordered, draws ? &picture : nullptr);
  const auto progress = Progress::of_reading("reading recordings", {trace});
  const auto report = reader.read(trace, both);
  if (!report) return std::unexpected(report.error());
  ordered.finish();
  if (draws) page.pictures.push_back(picture.finish());
  if (draws) page.pictures.back().title = trace_stem(trace);
  if (draws && content != nullptr) add_asset_names(page.pictures.back(), *content);
  std::vector<RunFigures> runs = analyser.take_runs();
  warn_of_trace(trace, *report, ordered, runs, analysis.warnings);
  if (std::ranges::any_of(runs, [](const RunFigures& run) { return run.reads > 0; })) {
    const auto warning = replay(trace, reader, drive, content, analyser, shipped, runs);
    if (!warning) return std::unexpected(warning.error());
    if (*warning) analysis.warnings.push_back(**warning);
  }
  if (!arguments.scenario.empty())
    std::erase_if(runs, [&](const RunFigures& run) { return run.scenario != arguments.scenario; });
  // Below each picture stands what its runs come to.
  if (draws)
    for (const RunFigures& run : runs)
      page.pictures.back().notes.push_back(run.scenario + ": " +
                                           conclude(run, analysis.drive).text);
  std::ranges::move(runs, std::back_inserter(analysis.runs));
  return {};
}

std::vector<std::string> assumptions_of(const KnownContent* content) {
  const std::string files = content != nullptr ? "Only the content's files cost the drive time."
                                               : "Files are as long as the trace reads them.";
  const std::string order = content != nullptr
                                ? "in the content's order."
                                : "in the order they are first named, the kindest case.";
  return {
      files +
          " Each lies in one piece. Side by side: one right behind the other from the drive's "
          "start on, " +
          order,
      "A cold drive: nothing is in memory at the start; the system reads ahead by up to 128 KiB "
      "per open file, as Linux does; directories cost nothing."};
}

// Without content: by what the model says of the runs, of each scenario the one in the middle.
ShippedLoads loads_of(const std::vector<RunFigures>& runs) {
  ShippedLoads shipped;
  std::map<std::string, std::vector<const RunFigures*>> by_scenario;
  for (const RunFigures& run : runs)
    if (run.cold && run.reads > run.whole_files) by_scenario[run.scenario].push_back(&run);
  for (auto& [name, of] : by_scenario) {
    std::ranges::stable_sort(of, {}, [](const auto* run) { return run->cold->cost.seconds; });
    const ColdFigures& cold = *of[(of.size() - 1) / 2]->cold;
    uint64_t besides_ns = UINT64_MAX;
    for (const RunFigures* run : of)
      besides_ns =
          std::min(besides_ns, run->time.span_ns - std::min(run->time.span_ns, run->time.wait_ns));
    shipped.loads.push_back({.name = name,
                             .runs = static_cast<uint32_t>(of.size()),
                             .as_shipped_s = cold.cost.seconds,
                             .bound_s = cold.bound_seconds,
                             .after_s = std::nullopt,
                             .besides_s = static_cast<double>(besides_ns) / 1e9});
  }
  if (!shipped.loads.empty()) return shipped;
  for (const RunFigures& run : runs)
    if (run.reads > 0)
      shipped.lacking = run.reads > run.whole_files ? Lacking::room : Lacking::sizes;
  return shipped;
}

// What order could save at best, of the scenarios that were asked for.
Verdict judge_runs(const Analysis& analysis, const BaselineReplay* replay, const JudgedDrive& drive,
                   const std::string& scenario) {
  ShippedLoads shipped = replay != nullptr ? shipped_loads(*replay) : loads_of(analysis.runs);
  if (shipped.loads.empty()) shipped.lacking = loads_of(analysis.runs).lacking;
  if (!scenario.empty())
    std::erase_if(shipped.loads, [&](const JudgedLoad& load) { return load.name != scenario; });
  return judge(drive, Way::order, std::move(shipped.loads), shipped.lacking);
}

// None without content, or where it doesn't fit the drive.
std::unique_ptr<BaselineReplay> replay_of(const Content* content, const DriveProfile& drive) {
  if (content == nullptr) return nullptr;
  auto positions = place_files(files_of(*content), {}, drive);
  if (!positions) return nullptr;
  return std::make_unique<BaselineReplay>(
      *content, std::vector<ReplayDrive>{{drive, *std::move(positions)}}, SimulationOptions{});
}

Result<void> run(const Arguments& arguments) {
  const auto chosen = drive_of_content(arguments.drive, arguments.content.roots);
  if (!chosen) return std::unexpected(chosen.error());
  const DriveProfile& drive = chosen->profile;
  std::optional<Content> content;
  std::optional<Locator> locator;
  std::optional<KnownContent> known;
  if (!arguments.content.roots.empty()) {
    auto scanned = read_content(arguments.content, arguments.answer);
    if (!scanned) return std::unexpected(scanned.error());
    content.emplace(*std::move(scanned));
    locator.emplace(*content);
    known.emplace(*content, *locator);
  }
  auto reader =
      TraceReader::create(arguments.traces, content ? &*content : nullptr, arguments.only);
  if (!reader) return std::unexpected(reader.error());
  const KnownContent* of_content = known ? &*known : nullptr;
  Analysis analysis = {.drive = drive.name};
  const auto shipped = replay_of(content ? &*content : nullptr, drive);
  PicturePage page = {.title = "What was read when, and where"};
  for (const std::string& trace : arguments.traces.paths)
    if (auto done = analyse_trace(trace, arguments, *reader, drive, of_content, shipped.get(),
                                  analysis, page);
        !done)
      return done;
  for (std::string& warning : reader->warnings()) analysis.warnings.push_back(std::move(warning));
  if (analysis.runs.empty() && !arguments.scenario.empty())
    return wrong_usage({.place = "--scenario",
                        .expected = "a scenario of the traces",
                        .found = fmt::format("'{}'", arguments.scenario)});
  if (std::ranges::any_of(analysis.runs,
                          [](const RunFigures& each) { return each.cold.has_value(); }))
    analysis.assumptions = assumptions_of(of_content);
  const Verdict verdict = judge_runs(analysis, shipped.get(), chosen->judged, arguments.scenario);
  arguments.answer.line(verdict_lines(verdict, terminal_width()));
  std::string text = to_text(analysis, terminal_width());
  text.pop_back();  // its last line's end comes from Output::line
  arguments.answer.line(text);
  if (!arguments.html.empty()) {
    add_disk_places(page);
    if (auto written = write_picture(arguments.html, page); !written) return written;
  }
  Json json = to_json(analysis);
  json["verdict"] = to_json(verdict);
  return arguments.answer.result(json);
}

}  // namespace

void add_analyze(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "analyze", "Show how a recorded program reads, and whether that is what it waits for");
  arguments->traces.add_to(*command, "TRACE");
  arguments->content.add_to(*command, false);
  command
      ->add_option("--only", arguments->only,
                   "Look only at paths that match, after --map; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command->add_option("--scenario", arguments->scenario, "Look only at this one of the traces")
      ->type_name("NAME");
  add_drive_option(*command, arguments->drive, "what the content lies on");
  command->add_option("--top", arguments->top, "Lines of each list, at most")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--html", arguments->html, "Draw the traces as a page, too")
      ->type_name("FILE");
  arguments->answer.add_option(*command);
  command->footer(
      "One run is shown in full, two of one scenario side by side, more in a table;\n"
      "the JSON has all of it.\n"
      "Example:\n"
      "  strace -f -ttt -y -T -o menu.1.strace game\n"
      "  seekless analyze menu.1.strace --only '/usr/share/games/**'");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
