#include "packer/command/internal/play_kept.h"

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/play_answer.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/files.h"
#include "packer/host/own_folder.h"
#include "packer/serve/kept_games.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

std::string day_of(int64_t unix_s) {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(unix_s)))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::string way_to_forget(const KeptGame& kept) {
  if (!kept.game.name.empty()) return "seekless play --forget --game " + kept.game.name;
  if (!kept.game.folder.empty()) return "seekless play --forget " + kept.game.folder;
  return "remove " + kept.state;
}

std::string line_of(const KeptGame& kept) {
  const PlayedGame& game = kept.game;
  const std::string folder = game.folder.empty() ? kept.state : game.folder;
  return fmt::format("{}: {:.1f} MB, played last on {}{}",
                     game.name.empty() ? folder : fmt::format("{} ({})", game.name, folder),
                     megabytes(kept.size_bytes), day_of(kept.used_s),
                     kept.is_gone ? "; the folder is gone: " + way_to_forget(kept) : "");
}

Json to_json(const KeptGame& kept) {
  return {{"folder", kept.game.folder}, {"name", kept.game.name},     {"state", kept.state},
          {"bytes", kept.size_bytes},   {"used_unix_s", kept.used_s}, {"is_gone", kept.is_gone}};
}

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
  const auto kept = kept_games(arguments.settings.state);
  if (!kept) return std::unexpected(kept.error());
  Json games = Json::array();
  uint64_t bytes = 0;
  for (const KeptGame& game : *kept) {
    arguments.answer.line(in_one_line(line_of(game)));
    games.push_back(to_json(game));
    bytes += game.size_bytes;
  }
  const auto place = state_place("play", arguments.settings.state);
  arguments.answer.line(in_one_line(
      fmt::format("{}: {}, {:.1f} MB", *place, counted(kept->size(), "game"), megabytes(bytes))));
  return arguments.answer.result({{"command", "play"}, {"kept", games}});
}

Result<void> show_or_forget(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  auto state = find_state(settings.state, settings.game);
  if (!state) return std::unexpected(state.error());
  const bool is_there = state->is_there();
  const bool has_folder =
      !settings.game.folder.empty() && kind_of_path(settings.game.folder) == PathKind::folder;
  if (!is_there && !has_folder) return nothing_kept(settings);
  if (is_there)
    if (auto locked = state->lock(); !locked) return locked;
  std::string warning;
  const Learned learned = state->load(warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  if (arguments.forgets)
    if (auto forgotten = state->forget(); !forgotten) return forgotten;
  const std::string& shown =
      settings.game.folder.empty() ? settings.game.name : settings.game.folder;
  for (const std::string& line : lines_of_learned(shown, learned))
    arguments.answer.line(in_one_line(line));
  if (arguments.forgets) arguments.answer.line("forgotten");
  if (!arguments.forgets && is_there) remove_empty_folder(state->folder());
  return arguments.answer.result({{"command", "play"},
                                  {"folder", settings.game.folder},
                                  {"scenarios", learned.scenarios.size()},
                                  {"files", learned.files.size()},
                                  {"shadow_bytes", shadow_bytes(learned)},
                                  {"loads", loads_of(learned)}});
}

}  // namespace seekless
