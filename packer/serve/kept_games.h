// Lists everything that `play` keeps for all games, and finds the state of a game that was
// uninstalled.
#pragma once

#include <string>
#include <vector>

#include "packer/serve/game_state.h"

namespace seekless {

// Returns the games, largest first. `place` is as for GameState::open; the list is empty if it
// doesn't exist.
Result<std::vector<KeptGame>> kept_games(const std::string& place);

// Returns the state of `game`; if there is none, that of the one game which was played in this
// folder or under this name.
Result<GameState> find_state(const std::string& place, const PlayedGame& game);

}  // namespace seekless
