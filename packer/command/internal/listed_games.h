// Lists the games that launchers have installed, with all that 'games' and 'ui' show of each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/answer/games_answer.h"
#include "packer/base/error.h"
#include "packer/foresee/learned.h"

namespace seekless {

// Finds the games, looks at their folders and disks, and at what is known of them.
GamesAnswer list_games();

// Says how a game is started, as its launcher has it.
struct GameStart {
  std::vector<std::string> command;  // empty if it isn't known
  std::vector<std::string> beside;   // other folders that it reads, such as a Wine prefix
};
GameStart start_of_game(const std::string& folder);

// Looks again at what is known of a game, after something was done for it.
void look_again(ListedGame& listed);

// Returns what `play` has learned, by game's folder. It is empty where `play` isn't there.
Result<std::map<std::string, GameKnown>> known_games();
// Returns what `play` has learned of the folder's game; empty if it has learned nothing. `state` is
// the folder of what it keeps, or empty; a state that can't be read is told in `warning`.
Learned learned_by_play(const std::string& state, const std::string& folder, std::string& warning);

// Returns the folder in which recordings of a game are kept that weren't given another place; it
// may not exist.
std::string recordings_folder(const std::string& game_folder);

}  // namespace seekless
