// seekless report: what a pack set wins on a drive, against the game as it was recorded.
// Result: schemas/report.schema.json
#include "packer/report/report.h"

#include <memory>

#include <fmt/format.h>

#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/judging.h"
#include "packer/command/packed_loads.h"
#include "packer/command/replaying.h"
#include "packer/command/report_packs.h"
#include "packer/command/report_plan.h"
#include "packer/drive/drive.h"
#include "packer/host/files.h"
#include "packer/host/runtime_error.h"
#include "packer/host/terminal.h"
#include "packer/simulate/pack_load.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

struct Arguments {
  std::string set;
  TraceOptions traces;
  ContentOptions content;
  DriveOptions drive;
  std::string layout;
  std::string html;
  Output answer;
};

Result<void> add_scenarios(const BaselineReplay& baseline, PackedLoads packed,
                           const PlannedLoads& planned, Report& report) {
  for (const auto& [name, runs] : baseline.runs()) {
    PackedLoad& after = packed.at(name);
    std::vector<const SimulatedLoad*> loads;
    for (const ReplayedRun& run : runs) loads.push_back(&run.loads.front());
    const SimulatedLoad& before = median(loads);
    report.scenarios.push_back({.name = name,
                                .runs = static_cast<uint32_t>(runs.size()),
                                .assets = after.assets,
                                .needed_bytes = after.load.needed_bytes,
                                .before = before.cost,
                                .after = after.load.cost,
                                .bound_seconds = after.load.bound_seconds,
                                .before_moves = before.moves,
                                .after_moves = std::move(after.load.moves)});
    if (const auto load = planned.find(name); load != planned.end())
      report.scenarios.back().planned = load->second;
  }
  return {};
}

void add_verdict(const BaselineReplay& baseline, const PackedLoads& packed,
                 const JudgedDrive& drive, Report& report) {
  ShippedLoads shipped = shipped_loads(baseline);
  SecondsAfter after;
  for (const auto& [name, load] : packed) after[name] = load.load.cost.seconds;
  set_after(shipped.loads, after);
  const Verdict verdict = judge(drive, Way::packs, std::move(shipped.loads), shipped.lacking);
  report.verdict = to_text(verdict);
  report.verdict_json = to_json(verdict);
}

std::vector<std::string> assumptions(const Arguments& arguments, const SimulationOptions& options) {
  return {
      fmt::format(
          "Before: the recorded reads, on the content's own files, each in one piece, {}. Nothing "
          "is in memory at the start; the system's read-ahead is {}, the queue {} deep.",
          arguments.drive.places.empty()
              ? "one right behind the other from the start of the drive on, in the order of "
                "--content and of their names: nearer to each other than files in use lie"
              : "those with --place at their places, the others one behind the other",
          to_string(options.read_ahead), options.queue_depth),
      "After: the runtime's own sweep, from opening the catalog on, on packs that lie likewise.",
      "Seconds are the time the drive is busy. What the game computes between reads is in neither "
      "figure."};
}

Result<void> run(const Arguments& arguments) {
  const auto drives = arguments.drive.profiles();
  if (!drives) return std::unexpected(drives.error());
  const DriveProfile& drive = drives->front();
  const auto rules = arguments.drive.place_rules();
  if (!rules) return std::unexpected(rules.error());
  auto options = arguments.drive.simulation();
  if (!options) return std::unexpected(options.error());
  options->keeps_moves = !arguments.html.empty();
  const auto content = read_content(arguments.content, arguments.answer);
  if (!content) return std::unexpected(content.error());
  const auto io = runtime::make_system_file_io();
  const auto pack_files = files_of_set(*io, arguments.set);
  if (!pack_files) return std::unexpected(pack_files.error());
  const std::vector<FileToPlace> content_files = files_of(*content);
  if (auto checked = check_places(*rules, content_files, *pack_files); !checked) return checked;
  auto content_positions = place_files(content_files, *rules, drive);
  if (!content_positions) return std::unexpected(content_positions.error());
  const auto pack_positions = place_files(*pack_files, *rules, drive);
  if (!pack_positions) return std::unexpected(pack_positions.error());

  Report report = {.drive = drive.name,
                   .capacity_bytes = Drive(drive).capacity_bytes(),
                   .assumptions = assumptions(arguments, *options)};
  if (auto added = add_packs(arguments.set, report); !added) return added;
  PlannedLoads planned;
  if (!arguments.layout.empty()) {
    auto added = add_plan(arguments.layout, report);
    if (!added) return std::unexpected(added.error());
    planned = *std::move(added);
  }
  BaselineReplay baseline(*content, {{drive, std::move(*content_positions)}}, *options);
  if (auto replayed =
          replay_traces(arguments.traces, *content, baseline, arguments.answer, &report.warnings);
      !replayed)
    return replayed;
  const PacksOnDrive packs = {*io, arguments.set, *pack_files, *pack_positions, drive};
  std::vector<std::string> warnings;
  auto packed =
      packed_loads(packs, PackPolicy::sweep, baseline.runs(), 0, *content, *options, warnings);
  if (!packed) return std::unexpected(packed.error());
  for (const std::string& warning : warnings) {
    arguments.answer.warn(warning);
    report.warnings.push_back(warning);
  }
  add_verdict(baseline, *packed, judge_for(drive, !arguments.drive.drives.empty()).judged, report);
  if (auto added = add_scenarios(baseline, *std::move(packed), planned, report); !added)
    return added;
  arguments.answer.line(to_text(report, terminal_width()));
  if (!arguments.html.empty())
    if (auto written = write_text(arguments.html, to_html(report)); !written) return written;
  return arguments.answer.result(to_json(report));
}

}  // namespace

void add_report(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("report", "Compare recorded loads with the sweep of their packs");
  command->add_option("PACKSET", arguments->set, "A pack set's folder")->required();
  arguments->traces.add_to(*command, "TRACE");
  arguments->content.add_to(*command);
  arguments->drive.add_to(*command, false);
  command
      ->add_option(
          "--layout", arguments->layout,
          "The layout that the packs were made from: report what its planner expected, too")
      ->type_name("LAYOUT.json");
  command->add_option("--html", arguments->html, "Write the report as a page, too")
      ->type_name("FILE");
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless report packs traces/*.lz4 --content /usr/share/games/warzone2100 \\\n"
      "    --layout layout.json --html report.html");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
