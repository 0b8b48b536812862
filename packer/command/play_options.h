// What `seekless play` is told.
#pragma once

#include "packer/command/command.h"
#include "packer/command/play_server.h"

namespace seekless {

struct PlayArguments {
  PlaySettings settings;
  bool always = false;
  bool shows_status = false;
  bool forgets = false;
  Output answer;
};

// `arguments` outlives the command.
void add_play_options(CLI::App& command, PlayArguments& arguments);

}  // namespace seekless
