// seekless advise: compares all ways to speed up a game's loads in one table: the time on its own
// disk, what the way changes, and its command. It changes nothing itself.
#include <memory>
#include <string>
#include <vector>

#include "packer/answer/advise_answer.h"
#include "packer/command/internal/advising.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"

namespace seekless {
namespace {

struct AdviseArguments {
  AskedAdvice asked;
  Output answer;
};

Result<void> check_is_there(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    if (kind_of_path(path) == PathKind::missing || kind_of_path(path) == PathKind::other)
      return failed({.file = path,
                     .expected = "a game's folder, or files of a game",
                     .found = kind_of_path(path) == PathKind::missing ? "nothing" : "neither",
                     .advice = "name the folder that the game lies in"});
  return {};
}

Result<void> tell_advice(const AdviseArguments& arguments, const AdviseAnswer& answer) {
  arguments.answer.line(to_text(answer, terminal_width(), arguments.answer.is_verbose()));
  arguments.answer.next(next_words(answer));
  return arguments.answer.result(to_json(answer));
}

Result<void> run(AdviseArguments& arguments) {
  PlaceInputs& inputs = arguments.asked.inputs;
  if (inputs.content.empty() && inputs.traces.paths.empty()) inputs.content = {"."};
  inputs.sort(false);
  SKL_TRY_DO(check_is_there(inputs.content));
  SKL_TRY(const auto answer,
          get_advice(arguments.asked, start_of_game(inputs.content.front()), arguments.answer));
  return tell_advice(arguments, answer);
}

}  // namespace

void add_advise(const Command& tool) {
  auto arguments = std::make_shared<AdviseArguments>();
  const Command command =
      tool.add("advise", "Compare the ways to make a game load faster on its disk");
  arguments->asked.inputs.add_to(command);
  command.option({.name = "--state",
                  .takes = "DIR",
                  .help = "Folder in which 'play' stored what it learned",
                  .usual = "$XDG_STATE_HOME/seekless/play"},
                 arguments->asked.state);
  add_drive_option(command, arguments->asked.drive, "the drive that the game lies on");
  arguments->answer.add_verbose(command);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless advise ~/quake\n  seekless advise ~/quake quake.*.trace\n\n'advise' "
      "changes nothing. Without recordings, it uses what 'play' has learned\nabout the "
      "game; without a folder, it uses the current one.");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
