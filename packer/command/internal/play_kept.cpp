#include "packer/command/internal/play_kept.h"

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/listed_games.h"
#include "packer/command/internal/play_system.h"
#include "packer/command/internal/played_loads.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/files.h"
#include "packer/host/own_folder.h"
#include "packer/layout/layout.h"
#include "packer/serve/kept_games.h"
#include "packer/serve/lay_out_process.h"

namespace seekless {
namespace {

constexpr int64_t kUnusedAfterS = int64_t{90} * 24 * 60 * 60;

Result<void> nothing_kept(const PlaySettings& settings) {
  const bool is_by_name = settings.game.folder.empty();
  return failed({.file = is_by_name ? settings.game.name : settings.game.path(),
                 .expected = is_by_name ? "the name of a game that was played"
                                        : "a game's folder, or one that was played and is gone",
                 .found = "nothing",
                 .advice = "'seekless play --status' lists all that is kept"});
}

Result<PlayKeptAnswer> kept_answer(const PlayArguments& arguments) {
  SKL_TRY(const auto kept, kept_games(arguments.settings.state));
  SKL_TRY(auto place, state_place("play", arguments.settings.state));
  PlayKeptAnswer answer = {
      .place = std::move(place), .given_place = arguments.settings.state, .games = {}};
  const int64_t now_s = std::time(nullptr);
  for (const KeptGame& game : kept)
    answer.games.push_back({.folder = game.game.folder,
                            .name = game.game.name,
                            .state = game.state,
                            .bytes = game.size_bytes,
                            .used_unix_s = game.used_s,
                            .is_gone = game.is_gone,
                            .is_unused = game.is_gone || now_s - game.used_s > kUnusedAfterS});
  return answer;
}

// Returns the command that helps this game most, from what is known about it.
std::vector<std::string> next_of(const PlayArguments& arguments, const Learned& learned) {
  const PlaySettings& settings = arguments.settings;
  constexpr double kLeastSavedS = 0.2;
  const bool is_known = !learned.scenarios.empty();
  if (arguments.forgets || settings.game.folder.empty()) return {};
  if (is_known && !can_lay_out()) return {};
  if (is_known && saved_by_laying_out_s(learned, kDefaultReadThroughBytes) < kLeastSavedS)
    return {};
  std::vector<std::string> words = {"play"};
  if (can_lay_out()) words.push_back(is_known ? "--lay-out" : "--auto");
  if (!settings.game.name.empty()) words.insert(words.end(), {"--game", settings.game.name});
  if (!settings.state.empty()) words.insert(words.end(), {"--state", settings.state});
  words.push_back(settings.game.path());
  if (is_known) return words;
  const GameStart start = start_of_game(settings.game.path());
  words.insert(words.end(), start.beside.begin(), start.beside.end());
  words.emplace_back("--");
  if (start.command.empty()) words.emplace_back("GAME");
  words.insert(words.end(), start.command.begin(), start.command.end());
  return words;
}

Result<void> forget_state(const std::string& folder) {
  SKL_TRY(auto state, GameState::open_there(folder));
  SKL_TRY_DO(state.lock());
  return state.forget();
}

}  // namespace

Result<void> list_kept(const PlayArguments& arguments) {
  SKL_TRY(const auto answer, kept_answer(arguments));
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

Result<void> forget_unused(const PlayArguments& arguments) {
  SKL_TRY(auto answer, kept_answer(arguments));
  answer.are_forgotten = true;
  std::erase_if(answer.games, [&](const KeptGameInfo& game) {
    if (!game.is_unused) return true;
    const auto done = forget_state(game.state);
    if (!done) arguments.answer.warn(done.error().message);
    return !done;
  });
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

Result<void> show_or_forget(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  SKL_TRY(auto state, find_state(settings.state, settings.game));
  const bool is_there = state.is_there();
  const bool has_folder =
      !settings.game.folder.empty() && kind_of_path(settings.game.folder) == PathKind::folder;
  if (!is_there && !has_folder) return nothing_kept(settings);
  // Looking doesn't end a process that lays out.
  const bool is_busy = !arguments.forgets && laying_out(state.folder());
  if (is_there && !is_busy) SKL_TRY_DO(state.lock());
  std::string warning;
  const Learned learned = state.load(warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  if (arguments.forgets) SKL_TRY_DO(state.forget());
  PlayStatusAnswer answer = {
      .shown = settings.game.folder.empty() ? settings.game.name : settings.game.path(),
      .folder = settings.game.path(),
      .learned = learned,
      .is_forgotten = arguments.forgets};
  if (has_folder && !arguments.forgets)
    if (auto seconds = seconds_as_shipped(learned, settings.game.folder))
      answer.as_shipped_s = *std::move(seconds);
  arguments.answer.line(to_text(answer));
  arguments.answer.next(next_of(arguments, learned));
  if (!arguments.forgets && is_there && !is_busy) remove_empty_folder(state.folder());
  return arguments.answer.result(to_json(answer));
}

}  // namespace seekless
