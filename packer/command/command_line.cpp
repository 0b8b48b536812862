#include "packer/command/command_line.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/command_table.h"
#include "packer/command/progress.h"
#include "packer/host/native_path.h"
#include "packer/host/nearest_name.h"
#include "packer/host/os_error.h"
#include "packer/host/standard_streams.h"
#include "packer/host/unseen.h"

namespace seekless {
namespace {

using namespace std::string_view_literals;

constexpr const char* kAbout =
    "Packs a game's content in the order it is read, so that a hard disk needn't seek.";

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::damaged:
      return 3;
    case ErrorKind::failed:
      break;
  }
  return 1;
}

// What was printed may still lie in a buffer; only now a full disk shows.
Result<void> flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0) return failed_call("standard output", "write", errno);
  if (!failed_before) return {};
  return failed({.file = "standard output",
                 .expected = "all of the answer to be written",
                 .found = "that a part couldn't be",
                 .advice = "see whether its disk is full"});
}

// Also where there is no memory left to put a line together.
void tell(std::string_view message) noexcept {
  try {
    say_to_person(fmt::format("seekless: error: {}\n", printable(message)));
  } catch (const std::exception&) {
    for (const std::string_view part : {"seekless: error: "sv, message, "\n"sv}) say(part);
  }
}

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

// The command that was asked for, with those that it is one of: "drive show".
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

// What is wrong with the command line. An option that nobody knows is told before what is missing:
// it may be what was meant.
std::string wrong_command_line(const CLI::App& app, const CLI::ParseError& error) {
  std::string words;
  const CLI::App* command = chosen_command(app, words);
  const std::string help = fmt::format("'seekless {}{}--help'", words, words.empty() ? "" : " ");
  const std::vector<std::string> rest = app.remaining(true);
  if (words.empty() && !rest.empty() && !rest.front().starts_with('-'))
    return fmt::format("expected a command, found '{}'{} --help lists them", rest.front(),
                       guess(rest.front(), commands_of(app)));
  for (const std::string& word : rest)
    if (word.starts_with('-') && word.size() > 1) {
      const std::string name = word.substr(0, word.find('='));
      return fmt::format("{}: expected options that it has, found '{}'{} {} lists them",
                         words.empty() ? "seekless" : words, name,
                         guess(name, options_of(*command)), help);
    }
  std::string text = error.what();
  std::ranges::replace(text, '\n', ' ');
  return fmt::format("{}{}{}; {} tells more", words, words.empty() ? "" : ": ", text, help);
}

// The others show their own progress, or none.
bool has_progress(std::string_view command) {
  constexpr auto kWithout = std::to_array<std::string_view>(
      {"record", "mark", "play", "mount", "drive", "cat", "completion", "manual"});
  return std::ranges::find(kWithout, command) == kWithout.end();
}

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

// What is printed for --help and the like; nothing where a command is to be run.
struct Parsed {
  std::string answer;
  std::string command;
};

Result<Parsed> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) == 0) return Parsed{.answer = out.str(), .command = ""};
    return std::unexpected(Error{ErrorKind::usage, wrong_command_line(app, error)});
  }
  return Parsed{.answer = "", .command = app.get_subcommands().front()->get_name()};
}

Result<void> with_unseen_told(Result<void> done) {
  auto seen = check_unseen();
  if (seen) return done;
  // Other errors may well follow from this one.
  if (!done) seen.error().message += "; and so " + done.error().message;
  return seen;
}

// Steam puts a game's command where its launch options say %command%, and nothing before it that
// would keep the command's own options from being ours.
std::vector<const char*> with_command_apart(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(words[1]) != "play") return words;
  const auto steam = std::ranges::find(words, std::string_view("--steam"));
  const auto apart = std::ranges::find(words, std::string_view("--"));
  if (steam < apart && steam + 1 != apart) words.insert(steam + 1, "--");
  return words;
}

Result<void> run(int argc, char** argv) {
  CLI::App app(kAbout);
  Action chosen;
  add_commands(app, chosen);
  const auto words = with_command_apart(argc, argv);
  const auto parsed = parse(app, static_cast<int>(words.size()), words.data());
  if (!parsed) return std::unexpected(parsed.error());
  if (parsed->command.empty()) {
    fmt::print(stdout, "{}", printable(parsed->answer));
    return {};
  }
  std::optional<ProgressLine> progress;
  if (has_progress(parsed->command)) progress.emplace(parsed->command);
  auto done = chosen();
  progress.reset();
  if (auto flushed = flush_output(); done && !flushed) done = std::move(flushed);
  return with_unseen_told(std::move(done));
}

// What an exception says that nobody has caught.
std::string what_was_thrown(const std::exception& exception) {
  const auto* error = dynamic_cast<const std::system_error*>(&exception);
  if (error == nullptr) return exception.what();
  const bool is_of_threads = error->code() == std::errc::resource_unavailable_try_again;
  const std::string advice = advice_for_os_error(error->code().value());
  return fmt::format("{}{}{}{}", is_of_threads ? "cannot start a thread: found " : "",
                     error->what(), advice.empty() ? "" : "; ", advice);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    const auto done = run(argc, argv);
    if (done) return 0;
    tell(done.error().message);
    return exit_code(done.error().kind);
  } catch (const std::bad_alloc&) {
    say("seekless: error: out of memory\n");
  } catch (const std::exception& error) {
    tell(what_was_thrown(error));
  }
  return 1;
}

Answered run_command(const std::vector<std::string>& words) {
  Answered answered;
  std::vector<const char*> argv = {"seekless"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  forget_unseen();
  const TakenAnswer taken(answered.answer);
  try {
    CLI::App app(kAbout);
    Action chosen;
    add_commands(app, chosen);
    const auto parsed = parse(app, static_cast<int>(argv.size()), argv.data());
    if (!parsed)
      answered.done = std::unexpected(parsed.error());
    else if (parsed->command.empty())
      answered.answer.text = parsed->answer;
    else
      answered.done = with_unseen_told(chosen());
  } catch (const std::bad_alloc&) {
    answered.done = std::unexpected(Error{ErrorKind::failed, "out of memory"});
  } catch (const std::exception& error) {
    answered.done = std::unexpected(Error{ErrorKind::failed, what_was_thrown(error)});
  }
  return answered;
}

}  // namespace seekless
