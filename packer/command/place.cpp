// seekless place: moves whole files that load together next to each other on their disk.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/place_answer.h"
#include "packer/base/paths.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/next_step.h"
#include "packer/command/internal/place_inputs.h"
#include "packer/command/internal/replaying.h"
#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/place/place_plan.h"
#include "packer/place/undo_list.h"
#include "packer/serve/disc_set.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {
namespace {

struct PlaceArguments {
  PlaceInputs inputs;
  std::string drive = kTargetDrive;
  std::string read_ahead = "linux";
  std::string state;
  bool is_dry = false;
  bool undoes = false;
  Output answer;
};

Mover::Warn warner(const PlaceArguments& arguments) {
  return [&answer = arguments.answer](std::string_view text) { answer.warn(text); };
}

// Scans the content with archives as plain files.
Result<Content> whole_files(const PlaceArguments& arguments) {
  return scan_content(arguments.inputs.content, scan_of_whole_files());
}

std::set<std::string> paths_led_to(const Content& content) {
  std::set<std::string> files;
  for (const Source& source : content.sources)
    files.insert(canonical_path(std::string(source.path)));
  return files;
}

Result<void> undo(const PlaceArguments& arguments) {
  const auto led_to = [&] {
    const auto content = whole_files(arguments);
    return content ? paths_led_to(*content) : std::set<std::string>();
  };
  SKL_TRY(const auto lists,
          UndoLists::open(arguments.state, outermost(with_disc_sets(arguments.inputs.content)),
                          led_to, warner(arguments)));
  SKL_TRY_DO(lists.clear_leftovers());
  if (lists.files().empty())
    return failed({.file = arguments.inputs.content.front(),
                   .expected = "files that were placed before",
                   .found = "none",
                   .advice = "if you placed them with --state, give the same folder"});
  SKL_TRY(const auto mover, mover_for(arguments.inputs.folder(), warner(arguments)));
  const auto files = files_by_earlier_place(lists.files(), warner(arguments));
  SKL_TRY(const auto moved, place_in_order(files, mover));
  if (moved < files.size())
    arguments.answer.warn("the earlier places stay known: run this again for the files that stay");
  else
    SKL_TRY_DO(lists.remove());
  const PlaceUndoneAnswer answer = {
      .paths = arguments.inputs.content, .way = mover.way, .put_back = moved};
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

Result<Placing> place(const PlaceArguments& arguments, const Content& content, PlacePlanner& placer,
                      const Mover& mover) {
  if (arguments.is_dry)
    return placer.foresee(arguments.inputs.folder(),
                          room_finder(arguments.inputs.folder(), warner(arguments)));
  auto lists = UndoLists::open(
      arguments.state, arguments.inputs.content, [&] { return paths_led_to(content); },
      warner(arguments));
  if (!lists) return std::unexpected(lists.error());
  SKL_TRY_DO(lists->clear_leftovers());
  return placer.place(
      mover, arguments.inputs.folder(),
      [&](const std::vector<FileExtents>& files) { return lists->add(files); }, warner(arguments));
}

// Adds a run for each file, which reads it from front to back, because these files are placed
// without a recording.
Result<void> add_whole_reads(const Content& content, KeptRuns& runs) {
  for (const Source& source : content.sources) {
    const std::string name(file_name(source.path));
    runs.start_trace(name);
    SKL_TRY_DO(runs.begin({.scenario = name}));
    SKL_TRY_DO(runs.add_path(source.path));
    SKL_TRY_DO(runs.add_event({.length_bytes = source.size_bytes, .path = 0}));
    runs.finish_trace();
  }
  return {};
}

// Without recordings, only files can be placed, since a folder may hold much that no load reads.
// Adds the files named in them, such as the tracks that a disc's cue sheet names.
Result<void> take_whole_files(PlaceInputs& inputs) {
  for (const std::string& path : inputs.content) {
    if (kind_of_path(path) != PathKind::file)
      return wrong_usage({.file = path,
                          .place = "place",
                          .expected = "recordings, files such as disc images, or --undo",
                          .found = "a folder and no recordings"});
  }
  inputs.content = outermost(with_disc_sets(inputs.content));
  return {};
}

// Only files on the content's device whose positions are known can be moved.
Result<LyingFiles> places_on_disk(const Content& content, const KeptRuns& runs,
                                  const DriveProfile& drive, uint64_t device,
                                  const PlaceArguments& arguments) {
  SKL_TRY(auto lying, where_files_lie(content, sources_read(runs), drive, device));
  if (!lying.are_real)
    return failed({.file = arguments.inputs.name(),
                   .expected = "files whose places the system tells",
                   .found = lying.why_not_real});
  const std::vector<std::string>& elsewhere = lying.elsewhere;
  if (!elsewhere.empty())
    arguments.answer.warn(fmt::format(
        "{}: {} on another file system, left out; place such files on their own", elsewhere.front(),
        elsewhere.size() == 1 ? "lies" : fmt::format("lies with {} others", elsewhere.size() - 1)));
  return lying;
}

// Returns the command without --dry-run, if the predicted gain is worth it.
CommandWords next_of(const PlaceAnswer& answer, const PlaceArguments& arguments,
                     const Command& command) {
  double before_s = 0;
  double after_s = 0;
  for (const PlacedSeconds& scenario : answer.scenarios) {
    before_s += scenario.before_s;
    after_s += scenario.after_s;
  }
  constexpr double kWorthIt = 0.9;
  if (!answer.is_dry_run) return {};
  if (after_s < before_s * kWorthIt) return command.again({"-n", "--dry-run"});
  CommandWords words = {"advise", arguments.inputs.folder()};
  add_traces(words, arguments.inputs.traces);
  return words;
}

Result<void> run(PlaceArguments& arguments, const Command& command) {
  PlaceInputs& inputs = arguments.inputs;
  inputs.sort(arguments.undoes);
  note_interrupts();
  if (inputs.content.empty())
    return wrong_usage({.place = "place", .expected = "files or folders", .found = "none"});
  SKL_TRY(const auto device, common_device(inputs.content));
  if (arguments.undoes) return undo(arguments);
  const bool is_whole = inputs.traces.paths.empty();
  if (is_whole) SKL_TRY_DO(take_whole_files(inputs));
  SKL_TRY(const auto drive, get_drive(arguments.drive));
  SKL_TRY(const auto read_ahead, parse_read_ahead(arguments.read_ahead));
  SKL_TRY(const auto content, whole_files(arguments));
  KeptRuns runs(content);
  if (is_whole) {
    SKL_TRY_DO(add_whole_reads(content, runs));
  } else {
    SKL_TRY(auto reader, reader_of(inputs.traces, &content));
    SKL_TRY_DO(read_traces(reader, runs, arguments.answer));
  }
  const auto scenarios = files_by_scenario(runs);
  if (scenarios.empty())
    return damaged({.file = inputs.traces.paths.front(),
                    .expected = "reads of " + inputs.name(),
                    .found = "none",
                    .advice = "name the files' folder in the trace with --map FROM=TO"});
  SKL_TRY(const auto mover, mover_for(inputs.folder(), warner(arguments)));
  SKL_TRY(auto lying, places_on_disk(content, runs, drive, device, arguments));
  const PlacedLoads loads(runs, drive, read_ahead, std::move(lying.folders));
  PlacePlanner placer(scenarios, loads, std::move(lying.files));
  SKL_TRY(const auto placing, place(arguments, content, placer, mover));
  PlaceAnswer answer = {.paths = inputs.content,
                        .way = mover.way,
                        .is_dry_run = arguments.is_dry,
                        .scenarios = {},
                        .moved_files = placing.moved_files,
                        .moved_bytes = placing.moved_bytes};
  for (const PlacedScenario& of : placing.scenarios)
    answer.scenarios.push_back({.name = of.name, .before_s = of.before_s, .after_s = of.after_s});
  arguments.answer.line(to_text(answer));
  arguments.answer.next(next_of(answer, arguments, command));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_place(const Command& tool) {
  auto arguments = std::make_shared<PlaceArguments>();
  const Command command =
      tool.add("place", "Put files that load together next to each other on the disk");
  arguments->inputs.add_to(command);
  command.option({.name = "-n,--dry-run", .help = "Print the expected gain; move nothing"},
                 arguments->is_dry);
  command.option({.name = "--undo",
                  .help = "Restore the earlier order of placed files",
                  .not_with = {"--dry-run"}},
                 arguments->undoes);
  command.option({.name = "--state",
                  .takes = "DIR",
                  .help = "Folder that stores the earlier order",
                  .usual = "$XDG_STATE_HOME/seekless/place"},
                 arguments->state);
  add_drive_option(command, arguments->drive);
  command.option(
      {.name = "--read-ahead",
       .takes = "STYLE",
       .help = "How the operating system reads ahead: none, linux, linux:512Ki, windows"},
      arguments->read_ahead);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless place ~/quake quake.*.trace\n  seekless place ~/quake/*.pak ~/mods/ctf "
      "quake.*.trace\n  seekless place ~/discs/game.iso      (joins its fragments; no "
      "recordings)\n\n"
      "Every file stays complete under its name at all times, even after a crash. On\n"
      "ext4, XFS, Btrfs and NTFS, only its data moves; on F2FS, a copy replaces it. On\n"
      "Windows, only an administrator may move files, and only on NTFS.");
  command.runs([arguments, command] { return run(*arguments, command); });
}

}  // namespace seekless
