// seekless play: runs a game with its folder served at its own path, so that what it reads passes
// through here, can be recorded and foreseen. The game and its files stay as they are. Result:
// {command, folder, exit_code, was_served, and with --trace those of `record`}
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/play_server.h"
#include "packer/host/files.h"
#include "packer/host/standard_streams.h"

namespace seekless {
namespace {

struct Arguments {
  std::string folder;
  std::vector<std::string> command;
  std::string trace;
  std::string scenario;
  Output answer;
};

Result<PlaySettings> settings_of(const Arguments& arguments) {
  if (kind_of_path(arguments.folder) != PathKind::folder)
    return failed(
        {.file = arguments.folder,
         .expected = "the folder that the game lies in",
         .found = kind_of_path(arguments.folder) == PathKind::missing ? "nothing" : "no folder"});
  PlaySettings settings = {.folder = canonical_path(arguments.folder),
                           .command = arguments.command,
                           .trace = arguments.trace,
                           .scenario = arguments.scenario};
  if (settings.folder == "/")
    return wrong_usage(
        {.file = arguments.folder, .expected = "a game's own folder", .found = "the whole system"});
  return settings;
}

Result<void> check_built() {
  if (can_serve()) return {};
  return failed({.place = "play",
                 .expected = "a seekless that was built with libfuse 3.12 or later",
                 .found = "one without",
                 .advice = "install libfuse3-dev, and build again; or use 'seekless warm'"});
}

void tell(const Json& told) {
  if (told.contains("trace"))
    say(fmt::format("seekless: {}: {}, {} of {} from {}\n",
                    printable(told["trace"].get<std::string>()),
                    printable(told["scenario"].get<std::string>()),
                    counted(told["reads"].get<uint64_t>(), "read"),
                    counted(told["bytes"].get<uint64_t>(), "byte"),
                    counted(told["paths"].get<uint64_t>(), "file")));
}

Result<void> run(const Arguments& arguments) {
  if (auto built = check_built(); !built) return built;
  auto settings = settings_of(arguments);
  if (!settings) return std::unexpected(settings.error());
  const Output& answer = arguments.answer;
  const KeptProgram program = {.folder = settings->folder,
                               .command = settings->command,
                               .warn = [&answer](std::string_view text) { answer.warn(text); }};
  PlayServer server(*std::move(settings));
  const auto end = keep_program(program, server);
  if (!end) return std::unexpected(end.error());
  const Json told = Json::parse(end->told.empty() ? "{}" : end->told);
  tell(told);
  Json result = {{"command", "play"},
                 {"folder", program.folder},
                 {"exit_code", end->exit_code},
                 {"was_served", end->was_served}};
  result.update(told);
  if (auto written = answer.result(result); !written) return written;
  if (end->exit_code == 0) return {};
  // Whoever started the game through here wants its own answer.
  std::fflush(nullptr);
  std::exit(end->exit_code);
}

}  // namespace

void add_play(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("play", "Run a game with its folder served, and record what it reads");
  command->add_option("FOLDER", arguments->folder, "The folder that the game lies in")
      ->required()
      ->type_name("DIR");
  command->add_option("COMMAND", arguments->command, "The game and its arguments, behind '--'")
      ->required();
  command
      ->add_option("--trace", arguments->trace,
                   "Write what is read as a trace: LZ4-framed, or plain if the name ends in .jsonl")
      ->type_name("OUT");
  command
      ->add_option("--scenario", arguments->scenario,
                   "What is being loaded [the trace's name without endings and run number]; "
                   "'seekless mark' begins the next")
      ->type_name("NAME");
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless play --trace boot.1.trace ~/quake -- ~/quake/quake -window\n"
      "\n"
      "Only the game and its children see the folder served; nothing needs root, and\n"
      "what the game writes goes to its files at once. The exit code is the game's,\n"
      "or 128 and the number of the signal that ended it.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
