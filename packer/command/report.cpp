// seekless report: what a pack set wins on a drive, against the game as it was recorded.
// Result: schemas/report.schema.json
#include "packer/report/report.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "packer/command/inputs.h"
#include "packer/command/open_set.h"
#include "packer/host/files.h"
#include "packer/host/runtime_error.h"
#include "packer/host/terminal.h"
#include "packer/simulate/simulate.h"

namespace seekless {
namespace {

struct Arguments {
  std::string set;
  TraceOptions traces;
  ContentOptions content;
  std::string drive = "wd-black-1tb";
  std::string html;
  Output answer;
};

// The run in the middle by seconds, so that neither a lucky nor an unlucky one counts.
const Simulated& median(const std::vector<Simulated>& runs) {
  std::vector<const Simulated*> sorted;
  sorted.reserve(runs.size());
  for (const Simulated& run : runs) sorted.push_back(&run);
  std::ranges::stable_sort(sorted, {}, [](const Simulated* run) { return run->cost.seconds; });
  return *sorted[(sorted.size() - 1) / 2];
}

Result<void> replay_traces(const Arguments& arguments, BaselineReplay& baseline) {
  auto options = arguments.traces.import_options();
  if (!options) return std::unexpected(options.error());
  for (const std::string& trace : arguments.traces.paths) {
    baseline.start_trace(scenario_of_file(trace));
    const auto report = read_trace(trace, *options, baseline);
    if (!report) return std::unexpected(report.error());
    for (const std::string& warning : report->warnings) arguments.answer.warn(warning);
    baseline.finish_trace();
  }
  return {};
}

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

Result<void> add_scenarios(const Arguments& arguments, const DriveProfile& drive,
                           const BaselineReplay& baseline, Report& report) {
  for (const auto& [name, runs] : baseline.runs()) {
    auto sweep = simulate_sweep(arguments.set, name, drive);
    if (!sweep) return std::unexpected(sweep.error());
    const Simulated& before = median(runs);
    report.scenarios.push_back({.name = name,
                                .runs = static_cast<uint32_t>(runs.size()),
                                .assets = sweep->assets,
                                .needed_bytes = sweep->needed_bytes,
                                .before = before.cost,
                                .after = sweep->simulated.cost,
                                .bound_seconds = bound_seconds(drive, sweep->needed_bytes),
                                .before_moves = before.moves,
                                .after_moves = std::move(sweep->simulated.moves)});
  }
  return {};
}

std::vector<std::string> assumptions() {
  return {
      "Before: the recorded reads, on the content's own files, which lie in one piece each, one "
      "right behind the other at the start of the drive: the kindest case. Nothing is in memory "
      "at the start; the system reads ahead by up to 128 KiB per open file, as Linux does.",
      "After: the runtime's own sweep, from opening the catalog on, on packs that lie likewise.",
      "Seconds are the time the drive is busy. What the game computes between reads is in neither "
      "figure."};
}

Result<void> run(const Arguments& arguments) {
  const auto drive = read_drive(arguments.drive);
  if (!drive) return std::unexpected(drive.error());
  const auto content = read_content(arguments.content, arguments.answer);
  if (!content) return std::unexpected(content.error());
  if (auto fits = BaselineReplay::fits(*content, *drive); !fits) return fits;
  BaselineReplay baseline(*content, *drive);
  if (auto replayed = replay_traces(arguments, baseline); !replayed) return replayed;
  if (baseline.runs().empty())
    return damaged({.file = "the traces",
                    .expected = "reads of the content",
                    .found = "none",
                    .advice = "name the content's place in the traces with --map FROM=TO"});

  Report report = {.drive = drive->name,
                   .capacity_bytes = Drive(*drive).capacity_bytes(),
                   .assumptions = assumptions()};
  if (auto added = add_packs(arguments, report); !added) return added;
  if (auto added = add_scenarios(arguments, *drive, baseline, report); !added) return added;
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
  command
      ->add_option("--drive", arguments->drive,
                   "A built-in profile, or a file as in schemas/drive.schema.json")
      ->type_name("NAME|FILE.json")
      ->capture_default_str();
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
