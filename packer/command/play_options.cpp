#include "packer/command/play_options.h"

namespace seekless {

void add_play_options(CLI::App& command, PlayArguments& arguments) {
  PlaySettings& settings = arguments.settings;
  command.add_option("FOLDER", settings.folder, "The folder that the game lies in")
      ->required()
      ->type_name("DIR");
  command.add_option("COMMAND", settings.command, "The game and its arguments, behind '--'");
  command.add_flag("--lay-out", settings.lays_out,
                   "After the game, copy what recorded runs read into one file, in load order");
  command
      .add_option("--room", settings.room_bytes,
                  "That file's largest size [8 GiB, and what leaves 1 GiB of the disk free]")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command.add_flag("--always", arguments.always, "Serve the folder on solid state, too");
  command
      .add_option("--trace", settings.trace,
                  "Write what is read as a trace: LZ4-framed, or plain if the name ends in .jsonl")
      ->type_name("OUT");
  command
      .add_option("--scenario", settings.scenario,
                  "What is being loaded [the trace's name without endings and run number]; "
                  "'seekless mark' begins the next")
      ->type_name("NAME");
  command
      .add_option("--state", settings.state,
                  "Where to keep what is learned [$XDG_STATE_HOME/seekless/play]")
      ->type_name("DIR");
  CLI::Option* status =
      command.add_flag("--status", arguments.shows_status, "Only tell what is known of the game");
  command.add_flag("--forget", arguments.forgets, "Only remove what is known, and its file")
      ->excludes(status);
  arguments.answer.add_option(command);
}

}  // namespace seekless
