// seekless play: runs a game whose reads this program sees, so that it can prefetch and record
// them. The game and its files don't change.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/answer/play_answer.h"
#include "packer/base/paths.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/play_advice.h"
#include "packer/command/internal/play_kept.h"
#include "packer/command/internal/play_learning.h"
#include "packer/command/internal/play_offer.h"
#include "packer/command/internal/play_options.h"
#include "packer/command/internal/play_system.h"
#include "packer/host/block_device.h"
#include "packer/host/interrupt.h"
#include "packer/host/round_trip.h"
#include "packer/host/standard_streams.h"
#include "packer/host/unseen.h"
#include "packer/serve/in_memory.h"
#include "packer/serve/lay_out_process.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

// Returns true if a read of the folder waits for a seek, or for another machine's answer.
bool is_slow(const std::string& folder) {
  // Serving a folder adds a twentieth of a millisecond to each opening, and a disk's seek takes
  // ten.
  constexpr double kSlowAnswerS = 0.001;
  const FoundDrive drive = drive_of_path(folder);
  if (drive.is_on_network) return round_trip_s(folder).value_or(0) >= kSlowAnswerS;
  return drive.is_rotational.value_or(true);
}

// Returns the reason not to serve the folder, or an empty text. Passing reads through costs time
// and gains nothing where seeks are free, so such folders are left out. Memory cards of handhelds
// aren't rotational either, but `--always` is for them.
std::string reason_to_step_aside(PlayArguments& arguments, std::string& warning) {
  PlaySettings& settings = arguments.settings;
  const std::string& game = settings.game.path();
  if (arguments.always || !settings.trace.empty()) return {};
  if (!settings.lays_out) {
    const FoundDrive drive = drive_of_path(settings.folders.front());
    // The files of a disc lie together, so one look per folder is enough and saves time.
    std::map<std::string, bool, std::less<>> slow;
    std::erase_if(settings.folders, [&](const std::string& path) {
      const std::string_view asked = settings.game.file.empty() ? path : folder_above(path);
      auto found = slow.find(asked);
      if (found == slow.end()) found = slow.emplace(asked, is_slow(std::string(asked))).first;
      return !found->second;
    });
    if (settings.folders.empty())
      return drive.is_on_network
                 ? fmt::format("{} lies on a network that answers at once ({})", game,
                               drive.description)
                 : fmt::format("{} doesn't lie on a rotating disk ({})", game, drive.description);
  }
  // Asking what is in memory would take round trips for each file.
  if (drive_of_path(settings.folders.front()).is_on_network) return {};
  const Learned learned = known_of(settings, warning);
  if (settings.lays_out && learned.shadow.sections.empty()) return {};
  if (!learned.scenarios.empty())
    return is_in_memory(settings.game.folder, learned, settings.folders)
               ? fmt::format("all that {} is known to load is in memory", game)
               : "";
  const bool are_in_memory = std::ranges::all_of(settings.folders, [&](const std::string& folder) {
    return is_in_memory(folder, learned, settings.folders);
  });
  return are_in_memory ? fmt::format("{} is in memory", fmt::join(settings.folders, ", ")) : "";
}

// Ends with the game's own exit code, which whoever started it through `play` expects.
Result<void> end_with(const PlayArguments& arguments, const PlayAnswer& answer) {
  // Paths that couldn't be examined were reported before, or don't matter to the game.
  forget_unseen();
  set_interrupted(false);  // writing the answer takes no time
  auto written = arguments.answer.result(to_json(answer));
  // The game's exit code matters more than an answer that a signal kept from being written.
  if (answer.exit_code == 0 && !is_interrupted()) return written;
  if (!written) arguments.answer.warn(written.error().message);
  std::fflush(nullptr);
  std::exit(answer.exit_code);
}

// Ends a process that lays out, since the game needs the disk, and doesn't wait for it. Removes
// what killed runs left in the game's state: nothing else does this for a game that is never
// served. Errors are ignored here, because they come up again when they matter.
void tidy_up(const PlaySettings& settings) {
  auto state = GameState::open(settings.state, settings.game);
  if (state) static_cast<void>(state->lock_at_start());
}

// Notes that the game was played, if anything is known about it.
void note_played(const PlaySettings& settings) {
  if (settings.game.key().empty()) return;
  auto state = GameState::open(settings.state, settings.game);
  // Nothing needs the disk now, so a layout continues.
  if (state && state->is_there() && !laying_out(state->folder()) &&
      state->lock(std::chrono::milliseconds(0)))
    static_cast<void>(state->note_played(settings.game));
}

Result<void> run_plainly(const PlayArguments& arguments) {
  SKL_TRY(const auto exit_code, run_unhelped(arguments));
  note_played(arguments.settings);
  return end_with(arguments, {.folder = arguments.settings.game.path(), .exit_code = exit_code});
}

Result<void> step_aside(const PlayArguments& arguments, const std::string& reason,
                        const std::string& warning) {
  if (!warning.empty()) arguments.answer.warn(warning);
  say_to_person(fmt::format("seekless: {}: the game runs without help; --always serves it\n",
                            printable(in_one_line(reason))));
  tidy_up(arguments.settings);
  return run_plainly(arguments);
}

// Returns this command line with --auto. For a game from Steam, returns its launch options.
std::vector<std::string> with_auto(const PlayArguments& arguments) {
  if (arguments.is_of_steam) return {"play", "--auto", "--steam", "%command%"};
  std::vector<std::string> words = arguments.command_line;
  words.insert(words.begin() + 1, "--auto");
  return words;
}

void tell_end(const PlayArguments& arguments, PlayAnswer& answer) {
  for (const std::string& warning : answer.run.warnings) arguments.answer.warn(warning);
  for (const std::string& line : lines_of(answer))
    say(fmt::format("seekless: {}\n", printable(in_one_line(line))));
  if (answer.run.laying_out_saves_s && !is_interrupted()) offer_to_lay_out(arguments, answer.run);
  if (answer.run.laying_out_saves_s && !answer.run.shadow_bytes)
    say(arguments.answer.next_line(with_auto(arguments)) + "\n");
}

// Runs the game without serving its folder, since the user wants to play in any case.
Result<void> run_unserved(const PlayArguments& arguments, const Error& why) {
  arguments.answer.warn(why.message + std::string(without_help()));
  return run_plainly(arguments);
}

Result<void> run_served(const PlayArguments& arguments) {
  SKL_TRY(auto answer, run_helped(arguments));
  tell_end(arguments, answer);
  return end_with(arguments, answer);
}

// Runs the game, whatever goes wrong before: a launch option that was set once must never keep a
// game from starting.
Result<void> run_game(PlayArguments& arguments) {
  std::string warning;
  std::string reason;
  try {
    reason = reason_to_step_aside(arguments, warning);
  } catch (const std::exception& exception) {
    reason = to_error(exception).message;
  }
  if (!reason.empty()) return step_aside(arguments, reason, warning);
  if (const auto able = check_can_help(arguments); !able)
    return run_unserved(arguments, able.error());
  return run_served(arguments);
}

// Lays out without running a game. The process that --auto starts does this, and is given both
// options.
Result<void> lay_out_now(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  be_laying_out();
  SKL_TRY(auto state, GameState::open(settings.state, settings.game));
  SKL_TRY_DO(state.lock());
  std::string warning;
  Learned learned = state.load(warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  SKL_TRY(const auto bytes, lay_out(state, settings, learned));
  arguments.answer.line(line_of_laid_out(bytes));
  SKL_TRY_DO(arguments.answer.result(to_json(PlayStatusAnswer{.shown = settings.game.path(),
                                                              .folder = settings.game.path(),
                                                              .learned = state.load(warning)})));
  if (settings.lays_out_after) note_advice(state, settings);
  return {};
}

Result<void> find_folder_if_any(PlayArguments& arguments) {
  try {
    return find_folder(arguments);
  } catch (const std::exception& exception) {
    return std::unexpected(to_error(exception));
  }
}

bool asks_for_all(const PlayArguments& arguments) {
  const PlayedGame& game = arguments.settings.game;
  return arguments.shows_status && !arguments.is_of_steam && game.folder.empty() &&
         game.name.empty();
}

Result<void> run(PlayArguments& arguments) {
  if (asks_for_all(arguments)) return list_kept(arguments);
  if (arguments.forgets_unused) return forget_unused(arguments);
  const bool is_asked_for = arguments.shows_status || arguments.forgets;
  const bool starts_game = !is_asked_for && !arguments.settings.command.empty();
  if (starts_game && arguments.settings.lays_out && arguments.settings.lays_out_after)
    return wrong_usage({.place = "play", .expected = "--auto or --lay-out", .found = "both"});
  if (starts_game) outlive_closed_pipes();
  if (auto found = find_folder_if_any(arguments); !found)
    return starts_game ? run_unserved(arguments, found.error()) : found;
  if (is_asked_for) return show_or_forget(arguments);
  if (arguments.settings.command.empty() && arguments.settings.lays_out)
    return lay_out_now(arguments);
  if (arguments.settings.command.empty() && arguments.settings.process == 0)
    return wrong_usage(
        {.place = "play", .expected = "the game's command, after '--'", .found = "none"});
  return run_game(arguments);
}

}  // namespace

void add_play(const Command& tool) {
  auto arguments = std::make_shared<PlayArguments>();
  const Command command = tool.add("play", "Run a game and prefetch what it is about to read");
  add_play_options(command, *arguments);
  command.footer(
      "Example:\n  seekless play --auto ~/quake -- ~/quake/quake -window\n  seekless play ~/game "
      "~/.wine /usr/lib/wine -- wine ~/game/game.exe\n  seekless play --auto --steam %command%  (a "
      "game's launch options in Steam)\n  seekless play ~/discs/game.cue -- duckstation-qt "
      "~/discs/game.cue\n  seekless play --status                  (all games, and what is "
      "stored)\n\nseekless serves the folder to the game and its children only, without root. "
      "The\ngame's writes go to its files at once. If the folder can't be served, seekless\nreads "
      "ahead beside the game instead. The exit code is the game's; if a signal\nended the game, it "
      "is 128 plus the signal's number.");
  command.without_progress();
  command.runs([arguments, command] {
    arguments->command_line = command.again({});
    if (const auto& words = command.words_apart()) take_command(*arguments, *words);
    take_variables(arguments->settings);
    return run(*arguments);
  });
}

}  // namespace seekless
