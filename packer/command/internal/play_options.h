// The options of 'seekless play'.
#pragma once

#include "packer/command/internal/command.h"
#include "packer/command/internal/play_server.h"

namespace seekless {

struct PlayArguments {
  PlaySettings settings;
  bool always = false;
  bool is_of_steam = false;
  bool shows_status = false;
  bool forgets = false;
  Output answer;
};

// `arguments` outlives the command.
void add_play_options(const Command& command, PlayArguments& arguments);

// The game's folder as its canonical path, after parsing; it may be gone, or only the game's name
// be given, where what is kept is asked for. Errors: failed if it isn't one; usage if nothing tells
// it.
Result<void> find_folder(PlayArguments& arguments);

}  // namespace seekless
