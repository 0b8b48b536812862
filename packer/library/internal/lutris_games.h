// Reads the table of games in Lutris' database (pga.db), by SQLite. Writes nothing, not even a
// lock. A build without SQLite refuses it.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct LutrisGame {
  std::string name;
  std::string slug;
  std::string runner;
  std::string folder;  // as Lutris keeps it; may be empty
  std::string config;  // name of the game's YAML file, without its ending
};

// Returns the installed games. Fails with kind `damaged` if the file is no such database.
Result<std::vector<LutrisGame>> read_lutris_games(const std::string& file);

}  // namespace seekless
