#include "packer/command/internal/play_options.h"

#include <cstdlib>
#include <string>
#include <utility>

#include "packer/host/files.h"
#include "packer/serve/steam_folder.h"

namespace seekless {
namespace {

constexpr const char* kNameFolder = "name the folder: seekless play FOLDER -- COMMAND";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// All that follows is the command then.
Result<void> find_folder_of_steam(PlayArguments& arguments) {
  PlaySettings& settings = arguments.settings;
  std::string& named = settings.game.folder;
  if (!named.empty()) settings.command.insert(settings.command.begin(), std::move(named));
  auto folder = steam_game_folder({.install_path = variable("STEAM_COMPAT_INSTALL_PATH"),
                                   .current_folder = canonical_path("."),
                                   .command = settings.command});
  if (!folder) return std::unexpected(folder.error());
  named = *std::move(folder);
  return {};
}

// `may_be_gone`: what is kept of it is asked for.
Result<void> check_folder(std::string& folder, bool may_be_gone) {
  if (folder.empty())
    return wrong_usage(
        {.place = "play",
         .expected = "the folder that the game lies in",
         .found = "none",
         .advice = may_be_gone ? "'seekless play --status' lists all that is kept" : kNameFolder});
  const auto kind = known_kind_of_path(folder);
  if (!kind) return std::unexpected(kind.error());
  if (*kind != PathKind::folder && !(may_be_gone && *kind == PathKind::missing))
    return failed({.file = folder,
                   .expected = "the folder that the game lies in",
                   .found = *kind == PathKind::missing ? "nothing" : "no folder",
                   .advice = may_be_gone ? "" : kNameFolder});
  folder = canonical_path(folder);
  if (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();  // of one that is gone
  if (folder != "/") return {};
  return wrong_usage({.file = folder,
                      .expected = "a game's own folder",
                      .found = "the whole system",
                      .advice = kNameFolder});
}

}  // namespace

void add_play_options(CLI::App& command, PlayArguments& arguments) {
  PlaySettings& settings = arguments.settings;
  command
      .add_option("FOLDER", settings.game.folder,
                  "The game's folder; not with --steam. Without it, --status shows all games; "
                  "with --forget it may be gone")
      ->type_name("DIR");
  command
      .add_option("--game", settings.game.name,
                  "Store what is learned under NAME, so that it survives moving the game "
                  "[the folder's path]")
      ->type_name("NAME");
  command.add_option("COMMAND", settings.command, "The game and its arguments, after '--'");
  command.add_flag("--steam", arguments.is_of_steam,
                   "Must come last: the game folder is taken from the Steam command that follows");
  command.add_flag("--lay-out", settings.lays_out,
                   "After the game, copy what recorded runs read into one file, in load order");
  command
      .add_option("--room", settings.room_bytes,
                  "Maximum size of that file [8 GiB, always leaving 1 GiB free]")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command.add_flag("--always", arguments.always, "Also on SSDs");
  command
      .add_option("--trace", settings.trace,
                  "Write what is read as a trace: LZ4-framed, or plain if the name ends in .jsonl")
      ->type_name("OUT");
  command
      .add_option("--scenario", settings.scenario,
                  "What is being loaded [the trace's name without endings and run number]; "
                  "'seekless mark' begins the next")
      ->type_name("NAME");
  command
      .add_option("--state", settings.state,
                  "Where to keep what is learned [$XDG_STATE_HOME/seekless/play]")
      ->type_name("DIR");
  CLI::Option* status =
      command.add_flag("--status", arguments.shows_status,
                       "Show what has been learned, and exit; without FOLDER, of all games");
  command
      .add_flag("--forget", arguments.forgets,
                "Remove what has been learned, and that file; then exit")
      ->excludes(status);
  arguments.answer.add_option(command);
}

Result<void> find_folder(PlayArguments& arguments) {
  if (arguments.is_of_steam)
    if (auto found = find_folder_of_steam(arguments); !found) return found;
  const bool is_asked_for = arguments.shows_status || arguments.forgets;
  PlayedGame& game = arguments.settings.game;
  if (is_asked_for && game.folder.empty() && !game.name.empty()) return {};
  return check_folder(game.folder, is_asked_for);
}

}  // namespace seekless
