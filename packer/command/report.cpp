// seekless report: shows how much faster a pack set loads from a drive than the game as it was
// recorded.
#include "packer/answer/report.h"

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/simulate_answer.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/replaying.h"
#include "packer/command/internal/report_packs.h"
#include "packer/command/internal/report_plan.h"
#include "packer/command/internal/report_updates.h"
#include "packer/drive/drive.h"
#include "packer/host/files.h"
#include "packer/host/runtime_error.h"
#include "packer/host/terminal.h"
#include "packer/page/report_page.h"
#include "packer/simulate/pack_load.h"
#include "packer/simulate/packed_loads.h"
#include "packer/simulate/replay.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

struct ReportArguments {
  std::string set;
  TraceOptions traces;
  ContentOptions content;
  DriveOptions drive;
  std::string layout;
  std::string html;
  std::string updates;  // path of a build file
  Output answer;
};

void add_scenarios(const BaselineReplay& baseline, PackedLoads packed, const PlannedLoads& planned,
                   Report& report) {
  for (const auto& [name, runs] : baseline.runs()) {
    PackedLoad& after = packed.at(name);
    const SimulatedLoad& before = median_run(runs, 0).loads.front();
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
}

Result<void> run(const ReportArguments& arguments, const Command& command) {
  if (!arguments.updates.empty())
    return report_updates(arguments.updates, arguments.html, arguments.answer);
  SKL_TRY_DO(check_given(arguments.set, arguments.traces, arguments.content));
  SKL_TRY(const auto drives, arguments.drive.profiles());
  const DriveProfile& drive = drives.front();
  SKL_TRY(const auto rules, arguments.drive.place_rules());
  SKL_TRY(auto options, arguments.drive.simulation());
  options.keeps_moves = !arguments.html.empty();
  SKL_TRY(const auto content, read_content(arguments.content, arguments.answer));
  const auto io = runtime::make_system_file_io();
  SKL_TRY(const auto pack_files, files_of_set(*io, arguments.set));
  const std::vector<FileToPlace> content_files = files_of(content);
  SKL_TRY_DO(check_places(rules, content_files, pack_files));
  SKL_TRY(const auto content_positions, place_files(content_files, rules, drive));
  SKL_TRY(const auto pack_positions, place_files(pack_files, rules, drive));

  Report report = {.drive = drive.name,
                   .capacity_bytes = Drive(drive).capacity_bytes(),
                   .assumptions = report_assumptions(options, arguments.drive.places.empty())};
  SKL_TRY_DO(add_packs(arguments.set, report));
  PlannedLoads planned;
  if (!arguments.layout.empty()) {
    SKL_TRY(auto added, add_plan(arguments.layout, report));
    planned = std::move(added);
  }
  BaselineReplay baseline(content, {{drive, lying_at(content_files, content_positions)}}, options);
  SKL_TRY_DO(
      replay_traces(arguments.traces, content, baseline, arguments.answer, &report.warnings));
  const PacksOnDrive packs = {*io, arguments.set, pack_files, pack_positions, drive};
  std::vector<std::string> warnings;
  SKL_TRY(auto packed,
          packed_loads(packs, PackPolicy::sweep, baseline.runs(), 0, content, options, warnings));
  for (const std::string& warning : warnings) {
    arguments.answer.warn(warning);
    report.warnings.push_back(warning);
  }
  report.verdict =
      judge_packed(baseline, packed, judge_for(drive, !arguments.drive.named().empty()).judged);
  add_scenarios(baseline, std::move(packed), planned, report);
  arguments.answer.line(to_text(report, terminal_width(), arguments.answer.is_verbose()));
  if (!arguments.html.empty()) SKL_TRY_DO(write_text(arguments.html, to_html(report)));
  if (arguments.html.empty()) arguments.answer.next(command.again({}, {"--html", "report.html"}));
  return arguments.answer.result(to_json(report));
}

}  // namespace

void add_report(const Command& tool) {
  auto arguments = std::make_shared<ReportArguments>();
  const Command command = tool.add("report", "Compare recorded loads with sweeps of their packs");
  command.option({.name = "PACKSET", .help = "A pack set's folder"}, arguments->set);
  arguments->traces.add_to(command, "TRACE", false);
  arguments->content.add_to(command, false);
  arguments->drive.add_to(command, false);
  command.option(
      {.name = "--layout",
       .takes = "LAYOUT.json",
       .help = "The layout that the packs were made from; adds the planner's predictions"},
      arguments->layout);
  command.option(
      {.name = "--html", .takes = "FILE", .help = "Also write the report as an HTML page"},
      arguments->html);
  command.option({.name = "--updates",
                  .takes = "BUILD_FILE",
                  .help = "Instead of comparing loads, report what players downloaded and "
                          "wrote for the releases of this build file"},
                 arguments->updates);
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless report packs traces/*.lz4 --content /usr/share/games/warzone2100 \\\n"
      "    --layout layout.json --html report.html\n"
      "  seekless report --updates game --html updates.html");
  command.runs([arguments, command] { return run(*arguments, command); });
}

}  // namespace seekless
