// The commands and their options as they were declared: man pages and shell completion are made
// from them, so that nothing is listed twice.
#pragma once

#include <string>
#include <vector>

namespace seekless {

struct DeclaredTool;

// The word that stands after an option, or for a positional argument.
enum class Takes { nothing, text, one_of, file, folder };

struct DescribedOption {
  std::vector<std::string> names;  // "-o", "--output"; of a positional argument its name alone
  std::string description;
  std::string placeholder;  // "FILE"; empty for a flag, and for an argument
  std::string default_text;
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  Takes takes = Takes::nothing;
  std::vector<std::string> values;  // for Takes::one_of
};

struct DescribedCommand {
  std::vector<std::string> words;  // "drive", "list"; none for the tool itself
  std::string description;
  std::string footer;
  std::vector<DescribedOption> options;
  std::vector<std::string> subcommands;  // their last words
  bool is_hidden = false;
  bool shows_progress = true;

  std::string path() const;  // "drive list"
};

// The tool itself first, then all its commands, each before its own. Hidden ones aren't in it.
std::vector<DescribedCommand> describe_commands(const DeclaredTool& tool);

}  // namespace seekless
