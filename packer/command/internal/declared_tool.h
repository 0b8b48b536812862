// Holds the tool's commands while a command line is read: as they were declared, and as the option
// parser has them. Only what parses includes this; commands declare themselves by command.h.
#pragma once

#include <deque>
#include <string>

#include <CLI/CLI.hpp>

#include "packer/command/internal/command.h"
#include "packer/command/internal/command_table.h"

namespace seekless {

struct DeclaredTool {
  std::string version;  // "seekless 1.0"
  CLI::App app;
  std::deque<DescribedCommand> commands;  // the tool itself first, then each before its own
  Action chosen;                          // what the command line asks for
};

}  // namespace seekless
