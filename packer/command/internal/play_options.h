// Declares the options of 'seekless play'.
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

// `arguments` must outlive the command.
void add_play_options(const Command& command, PlayArguments& arguments);

// Sets the game's folder to its canonical path; call it after parsing. For --status and --forget
// the folder may be gone, or only the game's name may be given. Returns an error of kind failed if
// it isn't a folder, and of kind usage if nothing names one.
Result<void> find_folder(PlayArguments& arguments);

}  // namespace seekless
