#include "packer/command/internal/command.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/base/windows_names.h"
#include "packer/base/windows_words.h"
#include "packer/command/internal/declared_tool.h"
#include "packer/host/native_path.h"

namespace seekless {
namespace {

constexpr const char* kHelpName = "-h,--help";
constexpr const char* kHelpHelp = "Print this help message and exit";
constexpr const char* kVersionName = "--version";
constexpr const char* kVersionHelp = "Display program version information and exit";

std::vector<std::string> names_of(const std::string& name) {
  std::vector<std::string> names;
  std::istringstream list(name);
  for (std::string one; std::getline(list, one, ',');) names.push_back(one);
  return names;
}

std::string range_text(const OptionRange& range, std::string_view between) {
  if (range.most == std::numeric_limits<double>::infinity())
    return fmt::format("{} or more", range.least);
  return fmt::format("{}{}{}", range.least, between, range.most);
}

std::string placeholder_of(const OptionText& text) {
  if (!text.takes.empty() || !text.name.starts_with('-')) return text.takes;
  if (!text.values.empty()) return fmt::format("{}", fmt::join(text.values, "|"));
  return text.range ? range_text(*text.range, "-") : "";
}

// Derives what shells complete from the placeholder, such as "DIR", "FILE.json", "OUT" or "NAME".
Takes takes_of(const OptionText& text, bool is_positional) {
  const auto has = [&](std::string_view part) { return text.takes.contains(part); };
  if (!text.values.empty()) return Takes::one_of;
  if (text.takes == "DIR") return Takes::folder;
  if (has("FILE") || has("PATH") || has(".json") || text.takes == "OUT") return Takes::file;
  return is_positional && text.takes.empty() ? Takes::file : Takes::text;
}

// Returns the target's value before parsing.
std::string value_of(const OptionTarget& target) {
  return std::visit(
      [](const auto* value) -> std::string {
        using Value = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::string>)
          return *value;
        else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
          return *value == 0 ? "" : fmt::format("{}", *value);
        else
          return "";
      },
      target);
}

DescribedOption describe(const OptionText& text, const OptionTarget& target) {
  const bool is_positional = !text.name.starts_with('-');
  const bool is_flag = std::holds_alternative<bool*>(target);
  return {.names = names_of(text.name),
          .description = text.help,
          .placeholder = placeholder_of(text),
          .default_text = text.usual.empty() ? value_of(target) : text.usual,
          .is_positional = is_positional,
          .is_required = text.is_required,
          .is_repeatable = std::holds_alternative<std::vector<std::string>*>(target),
          .takes = is_flag ? Takes::nothing : takes_of(text, is_positional),
          .values = text.values};
}

DescribedOption flag_of_tool(const char* name, const char* help) {
  bool unused = false;
  return describe({.name = name, .help = help}, &unused);
}

std::string check_range(const OptionRange& range, const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || (value >= range.least && value <= range.most))
    return "";  // a value that isn't a number is refused later, when it is converted
  return fmt::format("expected {}, found '{}'", range_text(range, " to "), text);
}

std::string check_values(const std::vector<std::string>& values, const std::string& text) {
  if (std::ranges::find(values, text) != values.end()) return "";
  return fmt::format("expected {}, found '{}'", fmt::join(values, ", "), text);
}

// Patterns of whole paths have their own rules (glob.h). In other patterns, a backslash is a
// separator, because Windows names have no characters to escape.
std::string pattern_with_slashes(const std::string& pattern) {
  return is_path_of_windows(pattern) ? pattern : with_slashes(pattern);
}

// Refuses an empty text, which a script passes if its variable isn't set: the parser would read 0.
std::string check_number_is_given(const std::string& text) {
  return text.empty() ? "expected a number, found ''" : "";
}

bool is_number(const OptionTarget& target) {
  return std::visit([](auto* value) { return kIsNumber<std::remove_pointer_t<decltype(value)>>; },
                    target);
}

void add_checks(CLI::Option& option, const OptionText& text, const OptionTarget& target) {
  const auto add = [&](std::function<std::string(const std::string&)> check) {
    option.check(
        CLI::Validator([check = std::move(check)](std::string& word) { return check(word); }, ""));
  };
  if (is_number(target)) add(check_number_is_given);
  if (text.range)
    add([range = *text.range](const std::string& word) { return check_range(range, word); });
  if (!text.values.empty())
    add([values = text.values](const std::string& word) { return check_values(values, word); });
  if (text.check) add(text.check);
  if (text.size != SizeUnits::none)
    option.transform(CLI::AsSizeValue(text.size == SizeUnits::powers_of_1000).description(""));
}

CLI::Option* add_to_parser(CLI::App& app, const OptionText& text, OptionTarget target) {
  return std::visit(
      [&](auto* value) -> CLI::Option* {
        if constexpr (std::is_same_v<decltype(value), bool*>)
          return app.add_flag(text.name, *value, text.help);
        else
          return app.add_option(text.name, *value, text.help);
      },
      target);
}

}  // namespace

Command::Command(DeclaredTool& tool) : tool_(&tool), app_(&tool.app), index_(0) {
  if (!tool.commands.empty()) return;
  app_->set_help_flag(kHelpName, kHelpHelp);
  app_->set_version_flag(kVersionName, tool.version, kVersionHelp);
  tool.commands.push_back(
      {.words = {},
       .description = app_->get_description(),
       .footer = {},
       .options = {flag_of_tool(kHelpName, kHelpHelp), flag_of_tool(kVersionName, kVersionHelp)},
       .subcommands = {}});
}

Command Command::group(const char* title) const {
  Command copy = *this;
  copy.group_ = title;
  return copy;
}

Command Command::add(const std::string& name, const std::string& help) const {
  CLI::App* app = app_->add_subcommand(name, help);
  // Set explicitly, or the parser would inherit it.
  app->group(group_ != nullptr ? group_ : "Subcommands");
  app->set_help_flag(kHelpName, kHelpHelp);
  std::vector<std::string> words = tool_->commands[index_].words;
  words.push_back(name);
  const bool is_hidden = app->get_group().empty();
  if (!is_hidden) tool_->commands[index_].subcommands.push_back(name);
  tool_->commands.push_back({.words = std::move(words),
                             .description = help,
                             .footer = {},
                             .options = {flag_of_tool(kHelpName, kHelpHelp)},
                             .subcommands = {},
                             .is_hidden = is_hidden});
  return {*tool_, *app, tool_->commands.size() - 1};
}

void Command::declare(const OptionText& text, OptionTarget target) const {
  const DescribedOption described = describe(text, target);
  CLI::Option& option = *add_to_parser(*app_, text, target);
  option.required(text.is_required);
  if (described.takes != Takes::nothing) {
    assert(described.is_positional || !described.placeholder.empty());
    option.type_name(described.placeholder);
    option.default_str(described.default_text);
    add_checks(option, text, target);
  }
  // A positional list takes all words at its place anyway.
  if (described.is_repeatable && !described.is_positional) option.allow_extra_args(text.takes_list);
  for (const std::string& other : text.not_with) option.excludes(app_->get_option(other));
  for (const std::string& other : text.only_with) option.needs(app_->get_option(other));
  const bool is_path = described.takes == Takes::file || described.takes == Takes::folder;
  // The words of another program's command line must stay unchanged.
  if (has_windows_names() && is_path && text.name != "COMMAND") option.transform(with_slashes);
  if (has_windows_names() && text.takes == "GLOB") option.transform(pattern_with_slashes);
  if (text.is_hidden)
    option.group("");
  else
    tool_->commands[index_].options.push_back(described);
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
  tool_->commands[index_].footer = text;
}

void Command::runs(Action action) const {
  app_->callback([tool = tool_, action = std::move(action)] { tool->chosen = action; });
}

void Command::without_progress() const {
  tool_->commands[index_].shows_progress = false;
}

void Command::needs_command() const {
  app_->require_subcommand(1);
}

void Command::takes_any_words() const {
  app_->prefix_command();
}

bool Command::has(const std::string& option) const {
  return app_->get_option(option)->count() > 0;
}

const std::optional<std::vector<std::string>>& Command::words_apart() const {
  return tool_->words_apart;
}

std::vector<std::string> Command::again(const std::vector<std::string>& without,
                                        const std::vector<std::string>& with) const {
  std::vector<std::string> words = tool_->words;
  const auto is_left_out = [&](const std::string& word) {
    return std::ranges::find(without, word) != without.end();
  };
  if (std::erase_if(words, is_left_out) == 0 && !without.empty()) return {};
  // No option is recognised after "--".
  words.insert(std::ranges::find(words, "--"), with.begin(), with.end());
  return words;
}

std::vector<std::string> Command::options_in_order() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->parse_order()) names.push_back(option->get_name());
  return names;
}

const std::string& Command::version() const {
  return tool_->version;
}

std::string DescribedCommand::path() const {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<DescribedCommand> describe_commands(const DeclaredTool& tool) {
  std::vector<DescribedCommand> all;
  std::ranges::copy_if(tool.commands, std::back_inserter(all),
                       [](const DescribedCommand& command) { return !command.is_hidden; });
  return all;
}

}  // namespace seekless
