// Makes completion scripts for bash, zsh and fish from the table of commands. These are pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command_table.h"

namespace seekless {

// The scripts need no other programs than the shell.
std::string bash_completion(const std::vector<DescribedCommand>& commands);
std::string zsh_completion(const std::vector<DescribedCommand>& commands);
std::string fish_completion(const std::vector<DescribedCommand>& commands);

}  // namespace seekless
