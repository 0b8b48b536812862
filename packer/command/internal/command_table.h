// Lists the commands and their options as they were declared. Man pages and shell completion are
// made from this table, so that nothing is listed twice.
#pragma once

#include <string>
#include <vector>

namespace seekless {

struct DeclaredTool;

// Kinds of words that a shell completes after an option, or for a positional argument.
enum class Takes { nothing, text, one_of, file, folder };

struct DescribedOption {
  std::vector<std::string> names;  // "-o", "--output"; a positional argument has one name
  std::string description;
  std::string placeholder;  // "FILE"; empty for a flag, and for an argument
  std::string default_text;
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  Takes takes = Takes::nothing;
  std::vector<std::string> values;  // values to choose from, for Takes::one_of
};

struct DescribedCommand {
  std::vector<std::string> words;  // "drive", "list"; none for the tool itself
  std::string description;
  std::string footer;
  std::vector<DescribedOption> options;
  std::vector<std::string> subcommands;  // last words of the subcommands
  bool is_hidden = false;
  bool shows_progress = true;

  std::string path() const;  // "drive list"
};

// Returns the tool itself, then all its commands, each before its subcommands. Hidden ones are left
// out.
std::vector<DescribedCommand> describe_commands(const DeclaredTool& tool);

}  // namespace seekless
