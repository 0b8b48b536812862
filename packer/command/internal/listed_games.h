// Lists the games installed by launchers, with all that 'games' and 'ui' show about each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/answer/games_answer.h"
#include "packer/base/error.h"
#include "packer/foresee/learned.h"

namespace seekless {

// Finds the games, examines their folders and disks, and loads what is known about them.
GamesAnswer list_games();

// Describes how a game's launcher starts it.
struct GameStart {
  std::vector<std::string> command;  // empty if unknown
  std::vector<std::string> beside;   // other folders that it reads, such as a Wine prefix
};
GameStart start_of_game(const std::string& folder);

// Reloads what is known about a game, after a command has changed something for it.
void look_again(ListedGame& listed);

// Returns what `play` has learned, by the game's folder. Empty on systems without `play`.
Result<std::map<std::string, GameKnown>> known_games();
// Returns what `play` has learned about the folder's game; empty if nothing. `state` is its state
// folder, or empty for the default; if it can't be read, `warning` says why.
Learned learned_by_play(const std::string& state, const std::string& folder, std::string& warning);

// Returns the default folder for recordings of a game; it may not exist.
std::string recordings_folder(const std::string& game_folder);

}  // namespace seekless
