#include "packer/command/internal/asked_command.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "packer/command/internal/command_table.h"
#include "packer/command/internal/wrong_words.h"
#include "packer/host/native_path.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr const char* kAbout =
    "Packs a game's content in the order it is read, so that a hard disk needn't seek.";

// What an option takes, without what the parser adds for itself: "auto|raw|lz4" for
// "TEXT:{auto,raw,lz4}", "1-64" for "INT in [1 - 64]", "SIZE" for "SIZE [b, kb(=1024b), ...]".
std::string placeholder_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (const size_t values = type.find(":{"); values != std::string::npos) {
    type = type.substr(values + 2, type.rfind('}') - values - 2);
    std::ranges::replace(type, ',', '|');
    return type;
  }
  if (const size_t named = type.find(':'); named != std::string::npos) return type.substr(0, named);
  if (const size_t range = type.find(" in ["); range != std::string::npos) {
    type = type.substr(range + 5, type.rfind(']') - range - 5);
    std::erase(type, ' ');
    return type;
  }
  return type.substr(0, type.find(" ["));
}

// Says of each option its name, what it takes and what it does, in lines of at most 80 columns.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    std::string text = " " + placeholder_of(*option);
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required() && option->nonpositional()) text += " (required)";
    return text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr size_t kTerminalColumns = 80;
    const size_t columns = kTerminalColumns - column_width_;
    std::string description = CLI::Formatter::make_option_desc(option);
    if (const std::string usual = option->get_default_str(); !usual.empty())
      description += " [" + usual + "]";
    std::string wrapped;
    for (const std::string& line : wrap(clean_line(description), columns))
      wrapped += (wrapped.empty() ? "" : "\n") + line;
    return wrapped;
  }
};

// A command is listed under what people want of it.
struct CommandGroup {
  const char* title;
  std::vector<void (*)(CLI::App&, Action&)> commands;
};

void add_group(CLI::App& app, Action& chosen, const CommandGroup& group) {
  for (const auto add : group.commands) {
    add(app, chosen);
    app.get_subcommands([](CLI::App*) { return true; }).back()->group(group.title);
  }
}

// The tool's options and commands; `chosen` becomes the one that is asked for.
void add_commands(CLI::App& app, Action& chosen) {
  app.name("seekless");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // a path may begin with a slash there, too
  app.set_version_flag("--version", "seekless " SEEKLESS_VERSION);
  const CommandGroup groups[] = {
      {"Play a game faster", {add_play, add_repack, add_restore, add_warm, add_place}},
      {"Record what a game reads", {add_record, add_mark, add_import, add_analyze}},
      {"Make packs", {add_init, add_build, add_profile, add_plan, add_pack}},
      {"Look", {add_where, add_simulate, add_report, add_drive}},
      {"Move what changed", {add_diff, add_patch, add_apply}},
      {"Read packs", {add_info, add_verify, add_extract, add_mount}},
      {"Pack with another tool", {add_emit}},
      {"", {add_completion, add_manual}},  // hidden
  };
  for (const CommandGroup& group : groups) add_group(app, chosen, group);
  if (has_windows_names()) take_backslashes(app);
}

// Steam puts a game's command where its launch options say %command%, and nothing before it that
// would keep the command's own options from being ours.
void set_command_apart(std::vector<const char*>& words) {
  if (words.size() < 2 || std::string_view(words[1]) != "play") return;
  const auto steam = std::ranges::find(words, std::string_view("--steam"));
  const auto apart = std::ranges::find(words, std::string_view("--"));
  if (steam < apart && steam + 1 != apart) words.insert(steam + 1, "--");
}

// Where options can't be understood, what follows them isn't sure to be the game's command.
std::string what_is_not_done(const std::vector<const char*>& words) {
  if (words.size() < 2 || std::string_view(words[1]) != "play") return {};
  const auto apart = std::ranges::find(words, std::string_view("--"));
  if (apart == words.end() || apart + 1 == words.end()) return {};
  return fmt::format("; the game ({}) isn't started", *(apart + 1));
}

}  // namespace

Result<AskedCommand> parse_words(std::vector<const char*> words) {
  set_command_apart(words);
  AskedCommand asked = {
      .help = {}, .name = {}, .run = {}, .app = std::make_unique<CLI::App>(kAbout)};
  CLI::App& app = *asked.app;
  add_commands(app, asked.run);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) != 0)
      return std::unexpected(
          Error{ErrorKind::usage, wrong_words(app, error) + what_is_not_done(words)});
    asked.help = out.str();
    return asked;
  }
  asked.name = app.get_subcommands().front()->get_name();
  return asked;
}

}  // namespace seekless
