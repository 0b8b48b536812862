// seekless advise: tells in one table what a game's loads take on its own disk by each way that
// there is, what each way changes, and the command for it. It changes nothing.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/advise_answer.h"
#include "packer/command/internal/advise_ways.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/command/internal/listed_games.h"
#include "packer/command/internal/place_inputs.h"
#include "packer/command/internal/played_loads.h"
#include "packer/command/internal/repack_inputs.h"
#include "packer/command/progress.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"

namespace seekless {
namespace {

struct AdviseArguments {
  PlaceInputs inputs;
  std::string drive;  // empty: the drive that the game lies on
  std::string state;
  Output answer;
};

Result<void> check_is_there(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (kind_of_path(path) == PathKind::missing || kind_of_path(path) == PathKind::other)
      return failed({.file = path,
                     .expected = "a game's folder, or files of a game",
                     .found = kind_of_path(path) == PathKind::missing ? "nothing" : "neither",
                     .advice = "name the folder that the game lies in"});
  return {};
}

Result<void> tell_advice(const AdviseArguments& arguments, const AdviseAnswer& answer) {
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  arguments.answer.next(next_words(answer));
  return arguments.answer.result(to_json(answer));
}

// Adds the loads as shipped and all ways to the answer.
Result<void> advise_on(const AdviseArguments& arguments, const Content& content,
                       const KeptRuns& runs, const Profile* profile, RepackArguments& repack,
                       const ChosenDrive& drive, AdviseAnswer& answer) {
  if (runs.size() == 0) return {};
  SKL_TRY(const auto lying, where_files_lie(content, sources_read(runs), drive.profile));
  ShippedLoads shipped = shipped_loads(runs, content, drive.profile, lying);
  if (shipped.loads.empty() || shipped.lacking != Lacking::nothing)
    return damaged({.file = answer.paths.front(),
                    .expected = "recordings that tell how much of each file was read",
                    .found = "names alone",
                    .advice = "record it with 'seekless record' or 'seekless play'"});
  answer.known_from = profile == nullptr ? "play" : "recordings";
  answer.assumption = lying.assumption;
  answer.loads = std::move(shipped.loads);
  if (shipped.fit.misfit != Misfit::none)
    answer.notes.push_back("recorded reads don't all fit the game as it is now: record it again");
  const Progress progress("trying each way");
  answer.ways = advised_ways({.paths = arguments.inputs.content,
                              .beside = answer.beside,
                              .content = content,
                              .runs = runs,
                              .profile = profile,
                              .repack = repack,
                              .drive = drive,
                              .lying = lying,
                              .loads = answer.loads});
  return {};
}

Result<void> advise_by_recordings(const AdviseArguments& arguments, RepackArguments& repack,
                                  const ChosenDrive& drive, AdviseAnswer& answer) {
  SKL_TRY(const auto content, scan_as_recorded(repack));
  KeptRuns runs(content);
  std::vector<TraceMapping> mappings;
  SKL_TRY(const auto profile, get_profile(repack, content, mappings, runs));
  return advise_on(arguments, content, runs, &profile, repack, drive, answer);
}

Result<void> advise_by_play(const AdviseArguments& arguments, RepackArguments& repack,
                            const ChosenDrive& drive, AdviseAnswer& answer) {
  std::string warning;
  const Learned learned =
      learned_by_play(arguments.state, arguments.inputs.content.front(), warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  if (learned.scenarios.empty()) return {};
  SKL_TRY(const auto played, played_loads(learned, answer.paths.front()));
  return advise_on(arguments, *played.content, *played.runs, nullptr, repack, drive, answer);
}

Result<void> run(AdviseArguments& arguments) {
  PlaceInputs& inputs = arguments.inputs;
  if (inputs.content.empty() && inputs.traces.paths.empty()) inputs.content = {"."};
  inputs.sort(false);
  SKL_TRY_DO(check_is_there(inputs.content));
  SKL_TRY(const auto drive, drive_of_content(arguments.drive, inputs.content));
  AdviseAnswer answer = {.paths = inputs.content, .drive = drive.judged};
  if (drive.judged.is_solid_state) return tell_advice(arguments, answer);
  RepackArguments repack;
  repack.traces = inputs.traces;
  repack.roots = inputs.content;
  repack.in_place = repack.repack.in_place = true;
  repack.dry_run = true;
  repack.answer = Output::collecting(answer.notes);
  GameStart start = start_of_game(inputs.content.front());
  answer.game = std::move(start.command);
  answer.beside = std::move(start.beside);
  SKL_TRY_DO(inputs.traces.paths.empty() ? advise_by_play(arguments, repack, drive, answer)
                                         : advise_by_recordings(arguments, repack, drive, answer));
  return tell_advice(arguments, answer);
}

}  // namespace

void add_advise(const Command& tool) {
  auto arguments = std::make_shared<AdviseArguments>();
  const Command command =
      tool.add("advise", "Compare the ways to make a game load faster on its disk");
  arguments->inputs.add_to(command);
  command.option({.name = "--state",
                  .takes = "DIR",
                  .help = "Folder in which 'play' stored what it learned",
                  .usual = "$XDG_STATE_HOME/seekless/play"},
                 arguments->state);
  add_drive_option(command, arguments->drive, "the drive that the game lies on");
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless advise ~/quake\n  seekless advise ~/quake quake.*.trace\n\nWithout "
      "recordings, it uses what 'play' has learned of the game. Without a\nfolder, it takes the "
      "current one. It changes nothing.");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
