// Runs a game on Windows with the recorder's hooks in it: its reads are seen as they come, and what
// it is about to read is read into the system's cache beside it. The game's files are only read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/serve/watched_end.h"

namespace seekless {

struct WatchedGame {
  std::vector<std::string> spelled;  // the game's folder, under each of its names; absolute
  std::vector<std::string> beside;   // other folders that it reads; absolute
  std::vector<std::string> command;
  uint32_t process = 0;  // a process that already runs, instead of the command; 0: none
  std::function<void(std::string_view)> warn;
};

// Fails, and no process of the game is left, if the game couldn't be started with the hooks. Once
// the game runs, this neither fails nor throws.
Result<WatchedEnd> watch_game(const WatchedGame& game, Learned known, ForeseeOptions options);

// Returns the service that protects against cheating and runs on this machine, if one does: "the
// service BEService (BattlEye)".
std::optional<std::string> running_anti_cheat();

}  // namespace seekless
