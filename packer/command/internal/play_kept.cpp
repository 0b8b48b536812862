#include "packer/command/internal/play_kept.h"

#include <string>

#include "packer/answer/play_answer.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/files.h"
#include "packer/host/own_folder.h"
#include "packer/serve/kept_games.h"

namespace seekless {
namespace {

Result<void> nothing_kept(const PlaySettings& settings) {
  const bool is_by_name = settings.game.folder.empty();
  return failed({.file = is_by_name ? settings.game.name : settings.game.folder,
                 .expected = is_by_name ? "the name of a game that was played"
                                        : "a game's folder, or one that was played and is gone",
                 .found = "nothing",
                 .advice = "'seekless play --status' lists all that is kept"});
}

}  // namespace

Result<void> list_kept(const PlayArguments& arguments) {
  SKL_TRY(const auto kept, kept_games(arguments.settings.state));
  const auto place = state_place("play", arguments.settings.state);
  PlayKeptAnswer answer = {.place = *place, .games = {}};
  for (const KeptGame& game : kept)
    answer.games.push_back({.folder = game.game.folder,
                            .name = game.game.name,
                            .state = game.state,
                            .bytes = game.size_bytes,
                            .used_unix_s = game.used_s,
                            .is_gone = game.is_gone});
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
  if (is_there) SKL_TRY_DO(state.lock());
  std::string warning;
  const Learned learned = state.load(warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  if (arguments.forgets) SKL_TRY_DO(state.forget());
  const PlayStatusAnswer answer = {
      .shown = settings.game.folder.empty() ? settings.game.name : settings.game.folder,
      .folder = settings.game.folder,
      .learned = learned,
      .is_forgotten = arguments.forgets};
  arguments.answer.line(to_text(answer));
  if (!arguments.forgets && is_there) remove_empty_folder(state.folder());
  return arguments.answer.result(to_json(answer));
}

}  // namespace seekless
