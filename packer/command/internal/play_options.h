// Declares the options of 'seekless play'.
#pragma once

#include "packer/command/internal/command.h"
#include "packer/command/internal/play_settings.h"

namespace seekless {

struct PlayArguments {
  PlaySettings settings;
  std::vector<std::string> folders_beside;  // named after the game's folder
  bool always = false;
  bool is_of_steam = false;
  bool shows_status = false;
  bool forgets = false;
  bool forgets_unused = false;
  std::vector<std::string> command_line;  // the words after "seekless"
  Output answer;
};

// `arguments` must outlive the command.
void add_play_options(const Command& command, PlayArguments& arguments);

// Stores the words after "--" as the game's command, and those before it as further folders. Call
// it after parsing.
void take_command(PlayArguments& arguments, const std::vector<std::string>& words_apart);

// Puts NAME=VALUE words before the game's program into the environment, as a shell does. Call it
// after take_command().
void take_variables(PlaySettings& settings);

// Sets the game's folder and the others to their canonical paths; call it after take_variables().
// For --status and --forget, the folder may be gone, or only the game's name may be given. If there
// are several folders, those that can't be served are left out, with a warning. Returns an error of
// kind failed if none is a folder, and of kind usage if none is given.
Result<void> find_folder(PlayArguments& arguments);

}  // namespace seekless
