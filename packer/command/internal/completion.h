// Shell completion: scripts for bash, zsh and fish out of the table of commands. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command_table.h"

namespace seekless {

// None of them needs anything but its shell.
std::string bash_completion(const std::vector<DescribedCommand>& commands);
std::string zsh_completion(const std::vector<DescribedCommand>& commands);
std::string fish_completion(const std::vector<DescribedCommand>& commands);

}  // namespace seekless
