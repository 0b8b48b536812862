#include "packer/command/internal/asked_command.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "packer/base/windows_words.h"
#include "packer/command/internal/command_list.h"
#include "packer/command/internal/declared_tool.h"
#include "packer/command/internal/wrong_words.h"
#include "packer/host/native_path.h"
#include "packer/words/plain_text.h"
#include "packer/words/shell_words.h"

namespace seekless {

#define SEEKLESS_DECLARE(title, name) void add_##name(const Command& tool);
SEEKLESS_COMMANDS(SEEKLESS_DECLARE)
#undef SEEKLESS_DECLARE

namespace {

constexpr const char* kAbout =
    "Packs a game's content in load order, so that a hard disk needn't seek.";

// Prints commands and options with their arguments and descriptions, in lines of at most 80
// columns.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string placeholder = option->get_type_name();
    std::string text = (placeholder.empty() ? "" : " ") + placeholder;
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required() && option->nonpositional()) text += " (required)";
    return text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string description = CLI::Formatter::make_option_desc(option);
    if (const std::string usual = option->get_default_str(); !usual.empty())
      description += " [" + usual + "]";
    return in_right_column(description);
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::stringstream line;
    CLI::detail::format_help(line, command->get_display_name(true),
                             in_right_column(command->get_description()), column_width_);
    return line.str();
  }

 private:
  std::string in_right_column(const std::string& text) const {
    constexpr size_t kTerminalColumns = 80;
    std::string wrapped;
    for (const std::string& line : wrap(clean_line(text), kTerminalColumns - column_width_))
      wrapped += (wrapped.empty() ? "" : "\n") + line;
    return wrapped;
  }
};

void add_commands(DeclaredTool& tool) {
  tool.version = "seekless " SEEKLESS_VERSION;
  tool.app.name("seekless");
  tool.app.description(kAbout);
  tool.app.formatter(std::make_shared<HelpFormatter>());
  tool.app.allow_windows_style_options(false);  // a path may begin with a slash on Windows, too
  const Command root(tool);
  root.needs_command();
#define SEEKLESS_ADD(title, name) add_##name(root.group(title));
  SEEKLESS_COMMANDS(SEEKLESS_ADD)
#undef SEEKLESS_ADD
}

// 'seekless' alone prints this, which tells each kind of user where to begin.
constexpr const char* kEachBegins =
    "Play a game faster         seekless games, then: seekless advise FOLDER\n"
    "Pack your game             seekless init FOLDER\n"
    "Read packs in your engine  seekless info PACKS; the C header is seekless.h\n"
    "Inspect                    seekless doctor, seekless analyze TRACE\n"
    "Help                       seekless --help, seekless help COMMAND\n";

// Lets 'help COMMAND' mean 'COMMAND --help', and 'help' alone '--help'.
void take_help(std::vector<const char*>& words, const CLI::App& app) {
  if (std::string_view(words[1]) != "help") return;
  words.erase(words.begin() + 1);
  const auto is_asked_for = [&](const CLI::App* command) {
    return command->get_name() == words[1];
  };
  const bool is_known =
      words.size() < 2 || std::ranges::any_of(app.get_subcommands({}), is_asked_for);
  if (is_known) words.push_back("--help");
}

bool is_play(const std::vector<const char*>& words) {
  return words.size() >= 2 && std::string_view(words[1]) == "play";
}

// Returns the number of words of this option with its value.
ptrdiff_t words_of_option(std::string_view word, const CLI::App& command) {
  if (word.contains('=')) return 1;
  const CLI::Option* option = command.get_option_no_throw(std::string(word));
  return option == nullptr || option->get_items_expected_max() == 0 ? 1 : 2;
}

// Inserts "--" before the game's command that follows --steam, so that its options aren't taken for
// ours. Steam replaces %command% in the launch options with that command, without a "--" before it.
// Variables and our own options may come first.
void set_command_apart(std::vector<const char*>& words, const CLI::App& play) {
  const auto steam = std::ranges::find(words, std::string_view("--steam"));
  if (steam == words.end() || steam > std::ranges::find(words, std::string_view("--"))) return;
  std::vector<const char*> variables;
  auto next = steam + 1;
  std::vector<const char*> set(words.begin(), next);
  while (next != words.end() && std::string_view(*next) != "--") {
    const std::string_view word = *next;
    const bool is_option = word.starts_with('-');
    if (!is_option && !is_variable_setting(word)) break;
    const ptrdiff_t count =
        is_option ? std::min(words_of_option(word, play), words.end() - next) : 1;
    std::vector<const char*>& into = is_option ? set : variables;
    into.insert(into.end(), next, next + count);
    next += count;
  }
  if (next != words.end() && std::string_view(*next) == "--") ++next;
  if (next != words.end() || !variables.empty()) set.emplace_back("--");
  set.insert(set.end(), variables.begin(), variables.end());
  set.insert(set.end(), next, words.end());
  words = std::move(set);
}

// Splits off the words after the "--" of 'play': they are the game's command, whatever they look
// like. Any number of folders may come before. Returns the other words.
std::vector<const char*> before_game(const std::vector<const char*>& words, DeclaredTool& tool) {
  const auto apart = std::ranges::find(words, std::string_view("--"));
  if (!is_play(words) || apart == words.end()) return words;
  tool.words_apart.emplace(apart + 1, words.end());
  return {words.begin(), apart};
}

// No Windows path contains a quotation mark. Words after "--" belong to another program.
Result<void> check_quotes(const std::vector<const char*>& words) {
  for (const std::string_view word : words) {
    if (word == "--") break;
    const std::string_view path = path_before_swallowed_quote(word);
    if (path.empty()) continue;
    return wrong_usage(
        {.place = fmt::format("'{}'", word),
         .expected = "a path",
         .found = "one with a quotation mark, because a backslash stands before that",
         .advice = fmt::format("leave out the last backslash: \"{}\"", path)});
  }
  return {};
}

// Returns a text for a usage error: the game isn't started. If the options before the "--" are
// wrong, the words after it may not be the game's command.
std::string what_is_not_done(const std::vector<const char*>& words) {
  if (!is_play(words)) return {};
  const auto apart = std::ranges::find(words, std::string_view("--"));
  if (apart == words.end())
    return "; the game's command and its options follow '--': seekless play FOLDER -- COMMAND";
  if (apart + 1 == words.end()) return {};
  return fmt::format("; the game ({}) isn't started", *(apart + 1));
}

}  // namespace

Result<AskedCommand> parse_words(std::vector<const char*> words) {
  if (words.size() < 2) return AskedCommand{.help = kEachBegins};
  if (has_windows_names()) SKL_TRY_DO(check_quotes(words));
  const auto tool = std::make_shared<DeclaredTool>();
  CLI::App& app = tool->app;
  add_commands(*tool);
  if (is_play(words)) set_command_apart(words, *app.get_subcommand("play"));
  tool->words.assign(words.begin() + 1, words.end());
  take_help(words, app);
  const std::vector<const char*> parsed = before_game(words, *tool);
  AskedCommand asked;
  try {
    app.parse(static_cast<int>(parsed.size()), parsed.data());
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) != 0)
      return std::unexpected(
          Error{ErrorKind::usage, wrong_words(*tool, error) + what_is_not_done(words)});
    asked.help = out.str();
    return asked;
  }
  asked.name = app.get_subcommands().front()->get_name();
  asked.run = tool->chosen;
  const auto has_name = [&](const DescribedCommand& command) {
    return command.path() == asked.name;
  };
  asked.shows_progress = std::ranges::find_if(tool->commands, has_name)->shows_progress;
  asked.tool = tool;
  return asked;
}

}  // namespace seekless
