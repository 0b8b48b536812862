#include "packer/command/internal/play_options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "packer/base/paths.h"
#include "packer/command/internal/play_system.h"
#include "packer/host/child_process.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/library/steam_folders.h"
#include "packer/record/program_recorder.h"
#include "packer/serve/disc_set.h"
#include "packer/words/shell_words.h"

namespace seekless {
namespace {

constexpr const char* kNameFolder = "name the folder: seekless play FOLDER -- COMMAND";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path_of_text(path), error).lexically_normal();
  std::string text = error ? path : text_of_path(absolute);
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

// Finds the folders from Steam's command. A folder given as an argument is served as well.
Result<void> find_folder_of_steam(PlayArguments& arguments) {
  PlaySettings& settings = arguments.settings;
  if (!settings.game.folder.empty())
    arguments.folders_beside.push_back(std::move(settings.game.folder));
  // On Windows, Steam's command has backslashes.
  std::vector<std::string> slashed;
  for (const std::string& word : settings.command)
    slashed.push_back(text_of_path(path_of_text(word)));
  SKL_TRY(auto folders, steam_folders({.install_path = variable("STEAM_COMPAT_INSTALL_PATH"),
                                       .data_path = variable("STEAM_COMPAT_DATA_PATH"),
                                       .shader_path = variable("STEAM_COMPAT_SHADER_PATH"),
                                       .tool_paths = variable("STEAM_COMPAT_TOOL_PATHS"),
                                       .current_folder = canonical_path("."),
                                       .command = slashed}));
  settings.game.folder = std::move(folders.game);
  // Not every game has all of these folders.
  for (std::string& folder : folders.beside)
    if (kind_of_path(folder) == PathKind::folder)
      arguments.folders_beside.push_back(std::move(folder));
  return {};
}

// Makes the path of a game's folder, or of a file, canonical. `may_be_gone` is true if only the
// game's stored data is needed.
Result<void> check_path(std::string& folder, bool may_be_gone) {
  if (folder.empty())
    return wrong_usage(
        {.place = "play",
         .expected = "the folder that the game lies in",
         .found = "none",
         .advice = may_be_gone ? "'seekless play --status' lists all that is kept" : kNameFolder});
  SKL_TRY(const auto kind, known_kind_of_path(folder));
  const bool is_usable = kind == PathKind::folder || kind == PathKind::file;
  if (!is_usable && !(may_be_gone && kind == PathKind::missing))
    return failed({.file = folder,
                   .expected = "the folder that the game lies in, or a disc image",
                   .found = kind == PathKind::missing ? "nothing" : "neither",
                   .advice = may_be_gone ? "" : kNameFolder});
  folder = canonical_path(folder);
  // canonical_path() keeps the final slash of a folder that no longer exists.
  if (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (folder != "/") return {};
  return wrong_usage({.file = folder,
                      .expected = "a game's own folder",
                      .found = "the whole system",
                      .advice = kNameFolder});
}

void warn_not_served(const Output& answer, const Error& why) {
  answer.warn(why.message + "; this folder isn't served, but the others are");
}

// Returns the path to serve: the file's folder if single files can't be served here.
std::string served_path(const std::string& path) {
  const bool needs_folder = kind_of_path(path) == PathKind::file && !can_serve_file();
  return std::string(needs_folder ? folder_above(path) : path);
}

// Takes a path as the game's: a folder, or a file in one.
void set_game(const std::string& path, PlayedGame& game) {
  const bool is_file = kind_of_path(path) == PathKind::file;
  game.folder = is_file ? folder_above(path) : path;
  game.file = is_file ? path : "";
}

// Removes paths that can't be served. The first remaining one is the game's.
Result<void> check_folders(PlayArguments& arguments) {
  PlaySettings& settings = arguments.settings;
  settings.spelled = absolute_path(settings.game.folder);
  std::vector<std::string> named = {settings.game.folder};
  named.insert(named.end(), arguments.folders_beside.begin(), arguments.folders_beside.end());
  std::vector<Error> errors;
  std::vector<std::string> found;
  bool found_game = false;
  for (std::string& folder : named) {
    if (auto checked = check_path(folder, false); checked)
      found.push_back(served_path(folder));
    else
      errors.push_back(std::move(checked).error());
    found_game = found_game || (&folder == &named.front() && !found.empty());
  }
  // The Wine prefix and Proton are also among Steam's folders, but must never be taken for the
  // game.
  const bool is_game_there = arguments.is_of_steam ? found_game : !found.empty();
  if (!is_game_there) return std::unexpected(errors.front());
  for (const Error& error : errors) warn_not_served(arguments.answer, error);
  found = with_disc_sets(found);
  set_game(found.front(), settings.game);
  settings.folders = outermost(found);
  return {};
}

}  // namespace

void take_command(PlayArguments& arguments, const std::vector<std::string>& words_apart) {
  arguments.folders_beside = std::exchange(arguments.settings.command, words_apart);
}

void take_variables(PlaySettings& settings) {
  std::vector<std::string>& words = settings.command;
  const auto program = std::ranges::find_if_not(words, is_variable_setting);
  if (program == words.begin()) return;
  // The state stays in its folder, even if the game gets another home folder.
  if (settings.state.empty()) settings.state = state_place("play", "").value_or("");
  for (auto word = words.begin(); word != program; ++word) {
    const size_t end = word->find('=');
    set_variable(word->substr(0, end), word->substr(end + 1));
  }
  words.erase(words.begin(), program);
}

void add_play_options(const Command& command, PlayArguments& arguments) {
  PlaySettings& settings = arguments.settings;
  command.option({.name = "FOLDER",
                  .takes = "DIR",
                  .help = "The game's folder or a disc image, then other folders that the game "
                          "reads, such as a Wine prefix. --steam finds all of them. --forget also "
                          "takes a folder that no longer exists"},
                 settings.game.folder);
  command.option({.name = "--game",
                  .takes = "NAME",
                  .help = "Store what is learned under this name, so that it survives moving the "
                          "game's folder",
                  .usual = "the folder's path"},
                 settings.game.name);
  command.option({.name = "COMMAND",
                  .help = "The game and its arguments, after '--'; NAME=VALUE before the "
                          "game sets an environment variable for it"},
                 settings.command);
  command.option({.name = "--steam",
                  .help = "Take the folders from the Steam command that follows the options"},
                 arguments.is_of_steam);
  command.option({.name = "--lay-out",
                  .help = "Make one file that holds what known loads read, in load order: "
                          "after the game, or at once if no COMMAND is given"},
                 settings.lays_out);
  command.option(
      {.name = "--auto",
       .help = "Like --lay-out, but in the background after the game, and only if it saves time"},
      settings.lays_out_after);
  command.option({.name = "--room",
                  .takes = "SIZE",
                  .help = "Maximum size of the file that --lay-out or --auto writes",
                  .usual = "8 GiB, always leaving 1 GiB free",
                  .size = SizeUnits::powers_of_1024},
                 settings.room_bytes);
  command.option({.name = "--always", .help = "Prefetch even on SSDs"}, arguments.always);
  command.option({.name = "--trace",
                  .takes = "OUT",
                  .help = "Also write a trace of the game's reads to this file: plain if its "
                          "name ends in .jsonl, else LZ4-framed"},
                 settings.trace);
  command.option({.name = "--scenario",
                  .takes = "NAME",
                  .help = "Name of the scenario that --trace records [the trace's name without "
                          "endings and run number]; 'seekless mark' begins another one"},
                 settings.scenario);
  command.option({.name = "--state",
                  .takes = "DIR",
                  .help = "Where to store what is learned",
                  .usual = "$XDG_STATE_HOME/seekless/play"},
                 settings.state);
  command.option(
      {.name = "--status,--list",
       .help =
           "Show what has been learned about the game (without FOLDER, about all games), and exit"},
      arguments.shows_status);
  command.option(
      {.name = "--forget",
       .help = "Delete what has been learned about the game, and the file of --lay-out; then exit",
       .not_with = {"--status"}},
      arguments.forgets);
  command.option(
      {.name = "--forget-unused",
       .help =
           "Forget all games that no longer exist, or haven't been played for 90 days; then exit",
       .not_with = {"--status", "--forget"}},
      arguments.forgets_unused);
  if (ProgramRecorder::can_attach())
    command.option({.name = "--pid",
                    .takes = "PID",
                    .help = "Process ID of a running game, instead of COMMAND"},
                   settings.process);
  arguments.answer.add_option(command);
}

Result<void> find_folder(PlayArguments& arguments) {
  if (arguments.is_of_steam) SKL_TRY_DO(find_folder_of_steam(arguments));
  const bool is_asked_for = arguments.shows_status || arguments.forgets;
  PlayedGame& game = arguments.settings.game;
  if (is_asked_for && game.folder.empty() && !game.name.empty()) return {};
  if (!is_asked_for) return check_folders(arguments);
  SKL_TRY_DO(check_path(game.folder, true));
  if (can_serve_file()) set_game(std::string(game.folder), game);
  return {};
}

}  // namespace seekless
