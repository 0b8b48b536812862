#include "packer/command/asked_command.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "packer/command/command_table.h"
#include "packer/command/wrong_words.h"
#include "packer/host/native_path.h"

namespace seekless {
namespace {

constexpr const char* kAbout =
    "Packs a game's content in the order it is read, so that a hard disk needn't seek.";

// Breaks lines between words, so that help fits a terminal of 80 columns.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr size_t kTerminalColumns = 80;
    const size_t columns = kTerminalColumns - column_width_;
    std::string wrapped;
    size_t used = 0;
    std::istringstream words(CLI::Formatter::make_option_desc(option));
    for (std::string word; words >> word; used += word.size()) {
      if (used > 0) {
        const bool fits = used + 1 + word.size() <= columns;
        wrapped += fits ? ' ' : '\n';
        used = fits ? used + 1 : 0;
      }
      wrapped += word;
    }
    return wrapped;
  }
};

// The tool's options and commands; `chosen` becomes the one that is asked for.
void add_commands(CLI::App& app, Action& chosen) {
  app.name("seekless");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // a path may begin with a slash there, too
  app.set_version_flag("--version", "seekless " SEEKLESS_VERSION);
  for (const auto add : {
           add_init,    add_build, add_record, add_mark,    add_import,     add_analyze,
           add_profile, add_plan,  add_pack,   add_repack,  add_restore,    add_verify,
           add_diff,    add_patch, add_apply,  add_report,  add_simulate,   add_drive,
           add_where,   add_warm,  add_place,  add_play,    add_mount,      add_emit,
           add_info,    add_list,  add_cat,    add_extract, add_completion, add_manual,
       })
    add(app, chosen);
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
