// seekless play: runs a game with its folder served at its own path, so that what it reads passes
// through here, is foreseen, and can be recorded. The game and its files stay as they are. Result:
// {command, folder, exit_code, was_served, foreseen, scenarios, shadow_bytes; with --trace those of
// `record`, and marked: [name of each load that was marked]}; with --status and --forget {command,
// folder, scenarios, files, shadow_bytes, loads: [{name, runs, likely_bytes, laid_out_bytes,
// first_waited_s, last_waited_s}]}
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/play_answer.h"
#include "packer/command/play_offer.h"
#include "packer/command/play_options.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/host/standard_streams.h"
#include "packer/serve/in_memory.h"

namespace seekless {
namespace {

// What isn't known is learned anew, and whoever serves warns of it.
Learned known_of(const PlaySettings& settings) {
  const auto state = GameState::open(settings.state, settings.game_key());
  std::string warning;
  return state ? state->load(warning) : Learned{};
}

// Where reads don't wait for a head, passing them through would only cost. Memory cards of
// handhelds aren't rotational either, but `--always` is for them.
std::string reason_to_step_aside(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  if (arguments.always || !settings.trace.empty()) return {};
  const FoundDrive drive = drive_of_path(settings.folder);
  if (!drive.is_rotational.value_or(true) && !settings.lays_out)
    return fmt::format("{} lies on no rotating disk ({})", settings.folder, drive.description);
  const Learned learned = known_of(settings);
  if (settings.lays_out && learned.shadow.sections.empty()) return {};
  if (!is_in_memory(settings.folder, learned)) return {};
  return learned.scenarios.empty()
             ? fmt::format("{} is in memory, all of it", settings.folder)
             : fmt::format("all that {} is known to load is in memory", settings.folder);
}

Result<void> end_as(int exit_code) {
  if (exit_code == 0) return {};
  // Whoever started the game through here wants its own answer.
  std::fflush(nullptr);
  std::exit(exit_code);
}

Json answer_of(const PlayArguments& arguments, int exit_code, bool was_served) {
  return {{"command", "play"},
          {"folder", arguments.settings.folder},
          {"exit_code", exit_code},
          {"was_served", was_served}};
}

Result<void> run_plainly(const PlayArguments& arguments, const std::string& reason) {
  say_to_person(fmt::format("seekless: {}: the game is run without anything; --always serves it\n",
                            printable(reason)));
  const auto exit_code = run_program(arguments.settings.command);
  if (!exit_code) return std::unexpected(exit_code.error());
  if (auto written = arguments.answer.result(answer_of(arguments, *exit_code, false)); !written)
    return written;
  return end_as(*exit_code);
}

Result<void> run_served(const PlayArguments& arguments) {
  const Output& answer = arguments.answer;
  PlayServer server(arguments.settings);
  const auto end = keep_program({.folder = arguments.settings.folder,
                                 .command = arguments.settings.command,
                                 .warn = [&answer](std::string_view text) { answer.warn(text); }},
                                server);
  if (!end) return std::unexpected(end.error());
  Json told = Json::parse(end->told.empty() ? "{}" : end->told);
  if (told.contains("warnings"))
    for (const Json& warning : told["warnings"]) answer.warn(warning.get<std::string>());
  told.erase("warnings");
  for (const std::string& line : lines_of_run(told))
    say(fmt::format("seekless: {}\n", printable(line)));
  if (told.contains("laying_out_saves_s")) offer_to_lay_out(arguments, told);
  Json result = answer_of(arguments, end->exit_code, end->was_served);
  result.update(told);
  if (auto written = answer.result(result); !written) return written;
  return end_as(end->exit_code);
}

Result<void> show_or_forget(const PlayArguments& arguments) {
  auto state = GameState::open(arguments.settings.state, arguments.settings.game_key());
  if (!state) return std::unexpected(state.error());
  if (auto locked = state->lock(); !locked) return locked;
  std::string warning;
  const Learned learned = state->load(warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  if (arguments.forgets)
    if (auto forgotten = state->forget(); !forgotten) return forgotten;
  for (const std::string& line : lines_of_learned(arguments.settings.folder, learned))
    arguments.answer.line(line);
  if (arguments.forgets) arguments.answer.line("forgotten");
  if (!arguments.forgets) remove_empty_folder(state->folder());
  return arguments.answer.result({{"command", "play"},
                                  {"folder", arguments.settings.folder},
                                  {"scenarios", learned.scenarios.size()},
                                  {"files", learned.files.size()},
                                  {"shadow_bytes", shadow_bytes(learned)},
                                  {"loads", loads_of(learned)}});
}

Result<void> run(PlayArguments& arguments) {
  if (auto found = find_folder(arguments); !found) return found;
  if (arguments.shows_status || arguments.forgets) return show_or_forget(arguments);
  if (arguments.settings.command.empty())
    return wrong_usage(
        {.place = "play", .expected = "the game's command, after '--'", .found = "none"});
  const std::string reason = reason_to_step_aside(arguments);
  if (!reason.empty()) return run_plainly(arguments, reason);
  if (auto built = check_can_serve("; or use 'seekless warm'"); !built) return built;
  return run_served(arguments);
}

}  // namespace

void add_play(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<PlayArguments>();
  CLI::App* command =
      app.add_subcommand("play", "Run a game with its folder served, and foresee what it reads");
  add_play_options(*command, *arguments);
  command->footer(
      "Example:\n"
      "  seekless play --lay-out ~/quake -- ~/quake/quake -window\n"
      "  seekless play --lay-out --steam %command%  (a game's launch options in Steam)\n"
      "\n"
      "Only the game and its children see the folder served; nothing needs root, and\n"
      "what the game writes goes to its files at once. The exit code is the game's,\n"
      "or 128 and the number of the signal that ended it.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
