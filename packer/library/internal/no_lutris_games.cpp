// Replaces lutris_games.cpp if SQLite was missing at build time.
#include "packer/library/internal/lutris_games.h"

namespace seekless {

Result<std::vector<LutrisGame>> read_lutris_games(const std::string& file) {
  return failed({.file = file,
                 .expected = "a seekless that was built with SQLite",
                 .found = "one without",
                 .advice = "install libsqlite3-dev, and build again"});
}

}  // namespace seekless
