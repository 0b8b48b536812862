// Reads the table of games in Lutris' database (pga.db) with SQLite. Writes nothing, not even a
// lock. In a build without SQLite, reading fails.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct LutrisGame {
  std::string name;
  std::string slug;
  std::string runner;
  std::string folder;  // as Lutris stores it; may be empty
  std::string config;  // name of the game's YAML file, without its ending
};

// Returns the installed games. Fails with kind `damaged` if the file isn't such a database.
Result<std::vector<LutrisGame>> read_lutris_games(const std::string& file);

}  // namespace seekless
