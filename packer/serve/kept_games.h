// All that `play` keeps, of whichever game: what is listed, and how the state of a game is found
// that was uninstalled.
#pragma once

#include <string>
#include <vector>

#include "packer/serve/game_state.h"

namespace seekless {

// The largest first. `place` as for GameState::open; nothing if it isn't there.
Result<std::vector<KeptGame>> kept_games(const std::string& place);

// The state of `game`; where there is none, that of the one game which was played in this folder or
// by this name.
Result<GameState> find_state(const std::string& place, const PlayedGame& game);

}  // namespace seekless
