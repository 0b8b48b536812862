// Holds the settings of a run of 'seekless play'.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/serve/game_state.h"

namespace seekless {

struct PlaySettings {
  PlayedGame game;
  std::vector<std::string>
      folders;          // folders and files that are served, the game's first; absolute
  std::string spelled;  // the game's folder as it was given, made absolute
  std::vector<std::string> command;
  uint32_t process = 0;  // on Windows, ID of a running process; 0: none
  std::string trace;     // empty: no trace is written
  std::string scenario;  // scenario of the trace; may be empty
  std::string state;     // folder for what is learned about games; empty: the user's default folder
  bool lays_out = false;
  bool lays_out_after = false;              // lays out in the background, if that saves time
  uint64_t room_bytes = uint64_t{8} << 30;  // maximum size of the laid-out file
};

}  // namespace seekless
