// The command-line tool: registers the commands, runs the one asked for, and turns what comes back
// into an exit code: 0 done, 1 failed, 2 wrong usage, 3 input damaged.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/progress.h"
#include "packer/host/freed_memory.h"
#include "packer/host/nearest_name.h"
#include "packer/host/os_error.h"
#include "packer/host/out_of_memory.h"
#include "packer/host/standard_streams.h"
#include "packer/host/unseen.h"

namespace {

using namespace std::string_view_literals;

int exit_code(seekless::ErrorKind kind) {
  switch (kind) {
    case seekless::ErrorKind::usage:
      return 2;
    case seekless::ErrorKind::damaged:
      return 3;
    case seekless::ErrorKind::failed:
      break;
  }
  return 1;
}

// What was printed may still lie in a buffer; only now a full disk shows.
seekless::Result<void> flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0) return seekless::failed_call("standard output", "write", errno);
  if (!failed_before) return {};
  return seekless::failed({.file = "standard output",
                           .expected = "all of the answer to be written",
                           .found = "that a part couldn't be",
                           .advice = "see whether its disk is full"});
}

// Also where there is no memory left to put a line together.
void tell(std::string_view message) noexcept {
  try {
    seekless::say_to_person(fmt::format("seekless: error: {}\n", seekless::printable(message)));
  } catch (const std::exception&) {
    for (const std::string_view part : {"seekless: error: "sv, message, "\n"sv})
      seekless::say(part);
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
  const auto nearest = seekless::nearest_name(written.substr(dashes), names);
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
      {"record", "mark", "play", "drive", "cat", "completion", "manual"});
  return std::ranges::find(kWithout, command) == kWithout.end();
}

seekless::Result<void> carry_out(const seekless::Action& chosen, const std::string& command) {
  if (!has_progress(command)) return chosen();
  const seekless::ProgressLine progress(command);
  return chosen();
}

int run(int argc, char** argv) {
  CLI::App app("Packs a game's content in the order it is read, so that a hard disk needn't seek.");
  app.name("seekless");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "seekless " SEEKLESS_VERSION);
  seekless::Action chosen;
  for (const auto add : {
           seekless::add_init,    seekless::add_build,    seekless::add_record,
           seekless::add_mark,    seekless::add_import,   seekless::add_analyze,
           seekless::add_profile, seekless::add_plan,     seekless::add_pack,
           seekless::add_repack,  seekless::add_restore,  seekless::add_verify,
           seekless::add_diff,    seekless::add_patch,    seekless::add_apply,
           seekless::add_report,  seekless::add_simulate, seekless::add_drive,
           seekless::add_where,   seekless::add_warm,     seekless::add_play,
           seekless::add_emit,    seekless::add_info,     seekless::add_list,
           seekless::add_cat,     seekless::add_extract,  seekless::add_completion,
           seekless::add_manual,
       })
    add(app, chosen);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const bool is_answered = app.exit(error, out, err) == 0;
    fmt::print(stdout, "{}", seekless::printable(out.str()));
    if (is_answered) return 0;
    tell(wrong_command_line(app, error));
    return exit_code(seekless::ErrorKind::usage);
  }
  auto done = carry_out(chosen, app.get_subcommands().front()->get_name());
  if (auto flushed = flush_output(); done && !flushed) done = std::move(flushed);
  if (auto seen = seekless::check_unseen(); !seen) {
    // Other errors may well follow from this one.
    if (!done) seen.error().message += "; and so " + done.error().message;
    done = std::move(seen);
  }
  if (!done) {
    tell(done.error().message);
    return exit_code(done.error().kind);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  seekless::prepare_process();
  seekless::return_freed_memory();
  seekless::end_tidily_without_memory();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    seekless::say("seekless: error: out of memory\n");
  } catch (const std::system_error& error) {
    const bool is_of_threads = error.code() == std::errc::resource_unavailable_try_again;
    const std::string advice = seekless::advice_for_os_error(error.code().value());
    tell(fmt::format("{}{}{}{}", is_of_threads ? "cannot start a thread: found " : "", error.what(),
                     advice.empty() ? "" : "; ", advice));
  } catch (const std::exception& error) {
    tell(error.what());
  }
  return 1;
}
