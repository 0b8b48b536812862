// Defines the answer of 'games': the games that launchers have installed, each with its disk, its
// content, what has been recorded, and what to do next.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/library/found_game.h"
#include "packer/library/game_content.h"
#include "packer/library/game_gain.h"

namespace seekless {

struct ListedGame {
  FoundGame game;
  GameDisk disk;
  GameContent content;
  GameKnown known;
  GameGain gain;
};

struct GamesAnswer {
  std::vector<ListedGame> games;
  std::vector<std::string> faults;  // launchers' files and games' folders that couldn't be read
  bool is_filtered = false;         // true if the user asked for games by name
};

// Sorts the games: first those that can gain, by the time that a hard disk needs to read their
// content, longest first; then the others, by name.
void sort_games(std::vector<ListedGame>& games);

// Returns "Steam", or "Steam (Flatpak)".
std::string source_of(const FoundGame& game);

// Prints the verdict, a table, and what to do next. No line is wider than `columns`, which
// is at least 80, except for commands to copy. The last line has no newline.
std::string to_text(const GamesAnswer& answer, size_t columns);
// Returns JSON that follows schemas/results/games.schema.json.
nlohmann::ordered_json to_json(const GamesAnswer& answer);

}  // namespace seekless
