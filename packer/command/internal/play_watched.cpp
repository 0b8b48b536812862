// Helps a game on Windows: watches it by hooks, and reads ahead beside it.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "packer/command/internal/play_learning.h"
#include "packer/command/internal/play_system.h"
#include "packer/host/block_device.h"
#include "packer/record/plain_program.h"
#include "packer/serve/anti_cheat.h"
#include "packer/serve/watched_game.h"

namespace seekless {
namespace {

std::unexpected<Error> not_on_windows(const std::string& option, const std::string& advice) {
  return failed({.place = option,
                 .expected = "Linux",
                 .found = "Windows, where it isn't there yet",
                 .advice = advice});
}

WatchedGame watched_of(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  WatchedGame game = {.spelled = {settings.game.folder},
                      .beside = {},
                      .command = settings.command,
                      .process = settings.process,
                      .warn = [&](std::string_view text) { arguments.answer.warn(text); }};
  if (settings.spelled != settings.game.folder) game.spelled.push_back(settings.spelled);
  for (const std::string& folder : settings.folders)
    if (folder != settings.game.folder) game.beside.push_back(folder);
  return game;
}

// Keeps what was learned; a failure doesn't matter to the game.
void keep_learned(PlayLearning& learning, WatchedEnd& end, PlayedRun& run) {
  if (end.learned.scenarios.empty() && !learning.state().is_there()) {
    run.scenarios = 0;
    return;
  }
  if (auto saved = learning.save(end.learned); !saved)
    run.warnings.push_back(saved.error().message + "; nothing is learned this time");
  else
    run.scenarios = end.learned.scenarios.size();
}

Result<PlayAnswer> answer_unhelped(const PlayArguments& arguments, const Error& why) {
  arguments.answer.warn(why.message + std::string(without_help()));
  SKL_TRY(const auto exit_code, run_unhelped(arguments));
  return PlayAnswer{.folder = arguments.settings.game.folder, .exit_code = exit_code};
}

}  // namespace

Result<void> check_can_help(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  std::string program = settings.command.empty() ? "" : settings.command.front();
  std::ranges::replace(program, '\\', '/');
  auto found = anti_cheat_beside(settings.game.folder, program);
  if (!found) found = running_anti_cheat();
  if (!found) return {};
  return failed({.file = settings.game.folder,
                 .expected = "a game that minds no hooks",
                 .found = *found + ", which may take them for a cheat"});
}

std::string_view without_help() {
  return "; the game is run without being watched";
}

Result<PlayAnswer> run_helped(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  const Output& answer = arguments.answer;
  if (settings.lays_out)
    answer.warn(not_on_windows("--lay-out", "the game is helped without").error().message);
  if (!settings.trace.empty())
    answer.warn(not_on_windows("--trace", "use 'seekless record'").error().message);
  auto learning = PlayLearning::open(settings);
  if (!learning) return answer_unhelped(arguments, learning.error());
  std::string warning;
  Learned known = learning->load(warning);
  if (!warning.empty()) answer.warn(warning);
  known.shadow.sections.clear();  // a copy made elsewhere is never read here
  const FoundDrive drive = drive_of_path(settings.game.folder);
  ForeseeOptions options =
      learning->options_for(known, drive.is_rotational.value_or(!drive.is_on_network));
  options.shadow.clear();
  auto end = watch_game(watched_of(arguments), std::move(known), std::move(options));
  if (!end && settings.process != 0) return std::unexpected(end.error());
  if (!end) return answer_unhelped(arguments, end.error());
  PlayAnswer told = {.folder = settings.game.folder,
                     .folders = settings.folders,
                     .exit_code = end->exit_code,
                     .was_served = true};
  told.run.foreseen = played_reads(end->figures);
  if (!end->has_read) told.run.unread_folders = settings.folders;
  tell_what_it_brought(end->learned, end->loads, told.run);
  keep_learned(*learning, *end, told.run);
  return told;
}

Result<int> run_unhelped(const PlayArguments& arguments) {
  if (arguments.settings.process != 0) return 0;
  return run_plainly(arguments.settings.command);
}

bool can_lay_out() {
  return false;
}

Result<uint64_t> lay_out(const GameState&, const PlaySettings&, Learned) {
  return not_on_windows("--lay-out", "'seekless play FOLDER -- GAME' learns and reads ahead");
}

}  // namespace seekless
