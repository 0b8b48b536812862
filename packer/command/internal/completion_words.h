// Prepares texts about commands for the completion scripts of all shells.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "packer/command/internal/command_table.h"

namespace seekless {

// Returns the text in single quotes, as bash and zsh read it.
inline std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Returns the first sentence, since a list has one line for each description.
inline std::string brief(std::string_view description) {
  return std::string(description.substr(0, description.find_first_of(";\n")));
}

inline bool takes_files(const DescribedCommand& command) {
  return std::ranges::any_of(command.options, &DescribedOption::is_positional);
}

// Returns the brief description of `word`, one of the command's subcommands.
inline std::string brief_of_subcommand(const std::vector<DescribedCommand>& commands,
                                       const DescribedCommand& command, std::string_view word) {
  std::vector<std::string> words = command.words;
  words.emplace_back(word);
  const auto found = std::ranges::find(commands, words, &DescribedCommand::words);
  return found == commands.end() ? "" : brief(found->description);
}

}  // namespace seekless
