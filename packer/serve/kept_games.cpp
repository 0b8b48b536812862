#include "packer/serve/kept_games.h"

#include <algorithm>
#include <functional>

#include "packer/host/calls.h"
#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/own_folder.h"

namespace seekless {

Result<std::vector<KeptGame>> kept_games(const std::string& place) {
  SKL_TRY(const auto above, state_place("play", place));
  std::vector<KeptGame> kept;
  if (!calls::is_there(above)) return kept;
  SKL_TRY_DO(check_holding_folder(above));
  SKL_TRY(const auto entries, list_folder(above));
  const std::string in = canonical_path(above) + "/";
  for (const FolderEntry& entry : entries)
    if (entry.is_folder && !entry.is_link)
      if (auto game = kept_game(in + entry.name)) kept.push_back(*std::move(game));
  std::ranges::stable_sort(kept, std::greater(), &KeptGame::size_bytes);
  return kept;
}

Result<GameState> find_state(const std::string& place, const PlayedGame& game) {
  auto state = GameState::open(place, game);
  if (!state || state->is_there()) return state;
  SKL_TRY(const auto kept, kept_games(place));
  const auto is_it = [&](const KeptGame& one) {
    return game.name.empty() ? one.game.folder == game.path() : one.game.name == game.name;
  };
  const auto found = std::ranges::find_if(kept, is_it);
  if (found == kept.end() || std::ranges::count_if(kept, is_it) > 1) return state;
  return GameState::open_there(found->state);
}

}  // namespace seekless
