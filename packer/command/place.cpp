// seekless place: puts whole files that load together next to each other on their disk.
// Result: {command, folder, way, dry_run, scenarios: [{name, before_s, after_s}], moved_files,
// moved_bytes}; with --undo {command, folder, way, put_back}
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/drive_options.h"
#include "packer/command/inputs.h"
#include "packer/command/place_answer.h"
#include "packer/command/replaying.h"
#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/place/place_plan.h"
#include "packer/place/undo_list.h"

namespace seekless {
namespace {

struct Arguments {
  std::string folder;
  TraceOptions traces;
  std::string drive = kTargetDrive;
  std::string read_ahead = "linux";
  std::string state;
  bool is_dry = false;
  bool undoes = false;
  Output answer;
};

Mover::Warn warner(const Arguments& arguments) {
  return [&answer = arguments.answer](std::string_view text) { answer.warn(text); };
}

// Of a file, the folder that it lies in.
std::string folder_holding(const std::string& path) {
  if (kind_of_path(path) == PathKind::folder) return path;
  return path.substr(0, std::max<size_t>(path.find_last_of('/'), 1));
}

// Archives as plain files.
Result<Content> whole_files(const Arguments& arguments) {
  ScanOptions scan;
  scan.require_readable = false;
  scan.any_names = true;
  scan.opaque = {"**"};
  return scan_content({arguments.folder}, scan);
}

Result<void> undo(const Arguments& arguments) {
  const auto list = UndoList::open(arguments.state, arguments.folder);
  if (!list) return std::unexpected(list.error());
  if (list->files().empty())
    return failed({.file = arguments.folder,
                   .expected = "files that were placed before",
                   .found = "none",
                   .advice = "if they were with --state, name the same one"});
  const auto mover = mover_for(folder_holding(arguments.folder), warner(arguments));
  const auto moved = place_in_order(files_by_earlier_place(*list, warner(arguments)), *mover);
  if (!moved) return std::unexpected(moved.error());
  if (auto removed = list->remove(); !removed) return removed;
  arguments.answer.line(
      fmt::format("{} in the order of before: {}", counted(*moved, "file"), mover->way()));
  return arguments.answer.result({{"command", "place"},
                                  {"folder", arguments.folder},
                                  {"way", mover->way()},
                                  {"put_back", *moved}});
}

Result<Placing> place(const Arguments& arguments, Placer& placer, Mover& mover) {
  if (arguments.is_dry) return placer.foresee();
  auto list = UndoList::open(arguments.state, arguments.folder);
  if (!list) return std::unexpected(list.error());
  return placer.place(
      mover, folder_holding(arguments.folder),
      [&](const std::vector<FileExtents>& files) { return list->add(files); }, warner(arguments));
}

Result<void> run(Arguments& arguments) {
  arguments.folder = canonical_path(arguments.folder);
  note_interrupts();
  if (arguments.undoes) return undo(arguments);
  if (arguments.traces.paths.empty())
    return wrong_usage({.place = "place", .expected = "recordings, or --undo", .found = "neither"});
  const auto drive = get_drive(arguments.drive);
  if (!drive) return std::unexpected(drive.error());
  const auto read_ahead = parse_read_ahead(arguments.read_ahead);
  if (!read_ahead) return std::unexpected(read_ahead.error());
  const auto content = whole_files(arguments);
  if (!content) return std::unexpected(content.error());
  KeptRuns runs(*content);
  auto reader = reader_of(arguments.traces, &*content);
  if (!reader) return std::unexpected(reader.error());
  if (auto read = read_traces(*reader, runs, arguments.answer); !read) return read;
  const auto scenarios = files_by_scenario(runs);
  if (scenarios.empty())
    return damaged({.file = arguments.traces.paths.front(),
                    .expected = "reads of files in " + arguments.folder,
                    .found = "none",
                    .advice = "name the folder's place in the trace with --map FROM=TO"});
  auto places = places_on_disk(*content, scenarios);
  if (!places) return std::unexpected(places.error());
  const auto mover = mover_for(folder_holding(arguments.folder), warner(arguments));
  const PlacedLoads loads(runs, *drive, *read_ahead);
  Placer placer(scenarios, loads, *std::move(places));
  const auto placing = place(arguments, placer, *mover);
  if (!placing) return std::unexpected(placing.error());
  return tell_placing(arguments.answer, arguments.folder, *placing, mover->way(), arguments.is_dry);
}

}  // namespace

void add_place(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("place", "Put files that load together next to each other on the disk");
  command->add_option("PATH", arguments->folder, "The folder of the files, or a file")->required();
  arguments->traces.add_to(*command, "TRACE");
  command->get_option("TRACE")->required(false);
  CLI::Option* dry = command->add_flag("-n,--dry-run", arguments->is_dry,
                                       "Only say what would be won, if free room is in one piece");
  command
      ->add_flag("--undo", arguments->undoes,
                 "Put the files that were placed back into their earlier order")
      ->excludes(dry);
  command
      ->add_option("--state", arguments->state,
                   "Where to keep the earlier order [$XDG_STATE_HOME/seekless/place]")
      ->type_name("DIR");
  add_drive_option(*command, arguments->drive);
  command->add_option("--read-ahead", arguments->read_ahead, "none, linux, linux:SIZE or windows")
      ->type_name("HOW")
      ->capture_default_str();
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless place ~/quake quake.*.trace\n"
      "\n"
      "Names and bytes of files stay the same at every moment, whatever happens. On\n"
      "ext4 they are moved in place, elsewhere copied and renamed.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
