// seekless report: what a pack set wins on a drive, against the game as it was recorded.
// Result: schemas/report.schema.json
#include "packer/report/report.h"

#include <memory>

#include <fmt/format.h>

#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/open_set.h"
#include "packer/command/replaying.h"
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
  std::string html;
  Output answer;
};

Result<void> add_packs(const Arguments& arguments, Report& report) {
  const auto open = OpenSet::open(arguments.set);
  if (!open) return std::unexpected(open.error());
  const runtime::Catalog* catalog = open->set().catalog();
  if (catalog == nullptr)
    return failed({.file = arguments.set, .expected = "a pack set", .found = "a single pack"});
  static constexpr const char* kKinds[] = {"common", "sub", "cold"};
  for (uint32_t i = 0; i < open->set().pack_count(); ++i) {
    const auto pack = open->set().pack(i);
    if (!pack) return from_runtime(pack.error());
    uint64_t used_bytes = 0;
    uint64_t last_place = UINT64_MAX;
    for (const format::Asset& asset : (*pack)->assets()) {
      // Equal content has one place.
      const uint64_t place = (uint64_t{asset.block} << 32) | asset.place;
      if (asset.size_bytes > 0 && place != last_place) used_bytes += asset.size_bytes;
      if (asset.size_bytes > 0) last_place = place;
    }
    uint64_t stored_bytes = 0;
    uint64_t raw_bytes = 0;
    for (const format::Block& block : (*pack)->blocks()) {
      raw_bytes += block.raw_bytes;
      stored_bytes += format::round_up(block.stored_bytes, format::kPageBytes) - block.stored_bytes;
    }
    const auto kind = static_cast<uint32_t>(catalog->packs()[i].kind) - 1;
    report.packs.push_back({.name = open->pack_name(i),
                            .kind = kind < 3 ? kKinds[kind] : "other",
                            .assets = (*pack)->assets().size(),
                            .file_bytes = (*pack)->header().file_bytes,
                            .content_bytes = (*pack)->header().data_bytes,
                            .padding_bytes = raw_bytes - used_bytes + stored_bytes});
  }
  return {};
}

Result<void> add_scenarios(const BaselineReplay& baseline, const PacksOnDrive& packs,
                           const SimulationOptions& options, Report& report) {
  for (const auto& [name, runs] : baseline.runs()) {
    auto sweep = simulate_sweep(packs, name, options);
    if (!sweep) return std::unexpected(sweep.error());
    std::vector<const SimulatedLoad*> loads;
    for (const ReplayedRun& run : runs) loads.push_back(&run.loads.front());
    const SimulatedLoad& before = median(loads);
    report.scenarios.push_back({.name = name,
                                .runs = static_cast<uint32_t>(runs.size()),
                                .assets = sweep->assets,
                                .needed_bytes = sweep->load.needed_bytes,
                                .before = before.cost,
                                .after = sweep->load.cost,
                                .bound_seconds = sweep->load.bound_seconds,
                                .before_moves = before.moves,
                                .after_moves = std::move(sweep->load.moves)});
  }
  return {};
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
  BaselineReplay baseline(*content, {{drive, std::move(*content_positions)}}, *options);
  if (auto replayed =
          replay_traces(arguments.traces, *content, baseline, arguments.answer, &report.warnings);
      !replayed)
    return replayed;
  if (auto added = add_packs(arguments, report); !added) return added;
  const PacksOnDrive packs = {*io, arguments.set, *pack_files, *pack_positions, drive};
  if (auto added = add_scenarios(baseline, packs, *options, report); !added) return added;
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
  command->add_option("--html", arguments->html, "Write the report as a page, too")
      ->type_name("FILE");
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless report packs traces/*.lz4 --content /usr/share/games/warzone2100 \\\n"
      "    --html report.html");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
