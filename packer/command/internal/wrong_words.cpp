#include "packer/command/internal/wrong_words.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "packer/base/nearest_name.h"
#include "packer/command/internal/declared_tool.h"

namespace seekless {
namespace {

// Returns the requested command, and sets `words` to its full name: "drive show".
const CLI::App* chosen_command(const CLI::App& app, std::string& words) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words += (words.empty() ? "" : " ") + command->get_name();
  }
  return command;
}

std::string guess(std::string_view written, const std::vector<std::string>& known) {
  const size_t dashes = std::min(written.find_first_not_of('-'), written.size());
  std::vector<std::string_view> names;
  for (const std::string& name : known)
    if (name.starts_with(written.substr(0, dashes)) && name.size() > dashes)
      names.push_back(std::string_view(name).substr(dashes));
  const auto nearest = nearest_name(written.substr(dashes), names);
  return nearest ? fmt::format("; do you mean '{}{}'?", written.substr(0, dashes), *nearest) : ";";
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options({})) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

std::string wrong_words(const DeclaredTool& tool, const CLI::ParseError& error) {
  const CLI::App& app = tool.app;
  std::string words;
  const CLI::App* command = chosen_command(app, words);
  const std::string help = fmt::format("'seekless {}{}--help'", words, words.empty() ? "" : " ");
  const std::vector<std::string> rest = app.remaining(true);
  if (words.empty() && !rest.empty() && !rest.front().starts_with('-'))
    return fmt::format("expected a command, found '{}'{} --help lists them", rest.front(),
                       guess(rest.front(), commands_of(app)));
  for (const std::string& word : rest) {
    if (word == "--") break;  // options of another program follow
    if (word.starts_with('-') && word.size() > 1) {
      const std::string name = word.substr(0, word.find('='));
      return fmt::format("{}: expected options that it has, found '{}'{} {} lists them",
                         words.empty() ? "seekless" : words, name,
                         guess(name, options_of(*command)), help);
    }
  }
  std::string text = error.what();
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{}{}{}; {} tells more", words, words.empty() ? "" : ": ", text, help);
}

}  // namespace seekless
