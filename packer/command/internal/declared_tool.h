// Holds the tool's commands during parsing: the declarations, and the option parser's objects. Only
// the parsing sources include this; commands declare themselves with command.h.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "packer/command/internal/command.h"
#include "packer/command/internal/command_table.h"

namespace seekless {

struct DeclaredTool {
  std::string version;  // "seekless 1.0"
  CLI::App app;
  // The tool itself, then all its commands, each before its subcommands.
  std::deque<DescribedCommand> commands;
  Action chosen;                   // the action of the command that was asked for
  std::vector<std::string> words;  // all of the command line, without the program's name
  // The words after "--", for a command that separates them; none without "--".
  std::optional<std::vector<std::string>> words_apart;
};

}  // namespace seekless
