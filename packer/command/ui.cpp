// seekless ui: serves a page with the installed games to this user's browser, for people who don't
// type commands.
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "packer/command/internal/command.h"
#include "packer/command/internal/listed_games.h"
#include "packer/host/child_process.h"
#include "packer/host/standard_streams.h"
#include "packer/window/window.h"

namespace seekless {
namespace {

struct UiArguments {
  bool opens_no_browser = false;
  uint64_t idle_minutes = 10;
};

void open_browser(const std::string& address) {
  if (const auto started = open_in_browser(address); !started)
    say_to_person(
        fmt::format("seekless: warning: {}: open the address yourself\n", started.error().message));
}

Result<void> run(const UiArguments& arguments) {
  return run_window(
      {.list = list_games,
       .look_again = look_again,
       .recordings = recordings_folder,
       .ready =
           [&](const std::string& address) {
             say(fmt::format("seekless: {}\nseekless: Ctrl-C ends it\n", address));
             if (!arguments.opens_no_browser) open_browser(address);
           },
       .waits_for_game =
           [] { say("seekless: a game or its recording still runs; waiting for it\n"); },
       .idle_minutes = arguments.idle_minutes});
}

}  // namespace

void add_ui(const Command& tool) {
  auto arguments = std::make_shared<UiArguments>();
  const Command command = tool.add("ui", "Open a page in the browser that shows your games");
  command.option({.name = "--no-browser", .help = "Only print the page's address"},
                 arguments->opens_no_browser);
  command.option({.name = "--idle",
                  .takes = "MINUTES",
                  .help = "Exit this many minutes after the page was closed",
                  .range = OptionRange{1, 1440}},
                 arguments->idle_minutes);
  command.footer(
      "Example:\n  seekless ui\n\nOnly programs of this computer that know the address can use "
      "the page: the\naddress contains a secret, which is new each time. The page can start only "
      "the\nlisted games.");
  command.without_progress();
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
