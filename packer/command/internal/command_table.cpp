#include "packer/command/internal/command_table.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace seekless {
namespace {

bool is_shown(const CLI::App* command) {
  return !command->get_group().empty();
}

// The parser keeps the values that an option may have to itself, but names them when it refuses
// another: "VALUE not in {raw,lz4}".
std::vector<std::string> values_of(CLI::Option& option) {
  const std::string refused = "\x01";
  std::string answer;
  try {
    answer = (*option.get_validator())(refused);
  } catch (const CLI::Error&) {
    return {};  // it has no validator, or one for numbers
  }
  const std::string head = refused + " not in {";
  if (!answer.starts_with(head) || !answer.ends_with('}')) return {};
  std::istringstream list(answer.substr(head.size(), answer.size() - head.size() - 1));
  std::vector<std::string> values;
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

// What the help calls it: "FILE.json", "FROM=TO", "UINT in [1 - 64]".
Takes takes_by_name(std::string_view placeholder, bool is_positional) {
  const auto has = [&](std::string_view part) { return placeholder.contains(part); };
  if (placeholder == "DIR") return Takes::folder;
  if (has("FILE") || has("PATH") || has(".json") || placeholder == "OUT") return Takes::file;
  return is_positional && placeholder == "TEXT" ? Takes::file : Takes::text;
}

DescribedOption describe(CLI::Option& option) {
  DescribedOption described = {.names = {},
                               .description = option.get_description(),
                               .placeholder = {},
                               .default_text = option.get_default_str(),
                               .is_positional = !option.nonpositional(),
                               .is_required = option.get_required(),
                               .is_repeatable = option.get_items_expected_max() > 1,
                               .takes = Takes::nothing,
                               .values = {}};
  if (described.is_positional) described.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (option.get_items_expected_max() == 0) return described;
  // A validator's words stand after a colon.
  const std::string type = option.get_type_name();
  described.placeholder = type.substr(0, type.find(':'));
  described.values = values_of(option);
  described.takes = !described.values.empty()
                        ? Takes::one_of
                        : takes_by_name(described.placeholder, described.is_positional);
  return described;
}

void describe_tree(CLI::App& command, const std::vector<std::string>& words,
                   std::vector<DescribedCommand>& all) {
  DescribedCommand described = {.words = words,
                                .description = command.get_description(),
                                .footer = command.get_footer(),
                                .options = {},
                                .subcommands = {}};
  for (CLI::Option* option : command.get_options({}))
    if (!option->get_group().empty()) described.options.push_back(describe(*option));
  const std::vector<CLI::App*> below =
      command.get_subcommands([](CLI::App* sub) { return is_shown(sub); });
  for (const CLI::App* sub : below) described.subcommands.push_back(sub->get_name());
  all.push_back(std::move(described));
  for (CLI::App* sub : below) {
    std::vector<std::string> longer = words;
    longer.push_back(sub->get_name());
    describe_tree(*sub, longer, all);
  }
}

}  // namespace

std::string DescribedCommand::path() const {
  return fmt::format("{}", fmt::join(words, " "));
}

void take_backslashes(CLI::App& app) {
  const auto turned = [](std::string path) {
    std::ranges::replace(path, '\\', '/');
    return path;
  };
  for (CLI::Option* option : app.get_options({})) {
    if (option->get_name(true) == "COMMAND") continue;  // another program's words are its own
    const Takes takes = describe(*option).takes;
    if (takes == Takes::file || takes == Takes::folder) option->transform(turned);
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) take_backslashes(*sub);
}

std::vector<DescribedCommand> describe_commands(CLI::App& app) {
  std::vector<DescribedCommand> all;
  describe_tree(app, {}, all);
  return all;
}

}  // namespace seekless
