// seekless record: runs a program and writes what it and its children read as a trace, in the
// project's own form. Standard output is the program's; what is to say goes to standard error.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/live_line.h"
#include "packer/host/standard_streams.h"
#include "packer/page/trace_text.h"
#include "packer/record/marks.h"
#include "packer/record/recording.h"
#include "packer/record/tracer.h"

namespace seekless {
namespace {

struct Arguments {
  std::string output;
  std::string scenario;
  std::vector<std::string> only;
  std::vector<std::string> command;
  Output answer;
};

std::string state_of(const Recording::Figures& figures) {
  return fmt::format("recording {}: {} events, {:.1f} MB, {:.0f} s", figures.scenario,
                     figures.events, megabytes(figures.read_bytes), figures.seconds);
}

std::string name_of(const std::string& program) {
  return program.substr(program.find_last_of('/') + 1);
}

Result<void> run(const Arguments& arguments) {
  ImportOptions options;
  options.only = arguments.only;
  options.default_scenario = scenario_of_file(arguments.output);
  auto recording = Recording::create(arguments.output, options);
  if (!recording) return std::unexpected(recording.error());
  Recording& trace = **recording;

  const Output& answer = arguments.answer;
  Tracer tracer(trace, [&answer](std::string_view text) { answer.warn(text); });
  if (auto started = tracer.start(arguments.command); !started) return started;
  if (auto begun = trace.begin(header_of(arguments.scenario, arguments.command)); !begun)
    return begun;
  Result<ProgramEnd> end;
  {
    auto marks = MarkListener::create(arguments.output, [&trace](const MarkRequest& request) {
      return trace.mark(request.value_or(""), request.has_value());
    });
    if (!marks) answer.warn(fmt::format("'seekless mark' won't work: {}", marks.error().message));
    const LiveLine line(std::chrono::seconds(1), [&trace] { return state_of(trace.figures()); });
    end = tracer.run();
  }
  const uint64_t marks = trace.figures().marks;
  if (auto finished = trace.finish(); !finished) return finished;
  if (!end) return std::unexpected(end.error());
  const RecordedTrace recorded = {.output = arguments.output,
                                  .program = name_of(arguments.command.front()),
                                  .report = trace.report(),
                                  .marks = marks,
                                  .processes = tracer.processes(),
                                  .io_urings = tracer.io_urings(),
                                  .exit_code = end->exit_code,
                                  .signal = end->signal};
  for (const std::string& text : lines_of(recorded))
    say(fmt::format("seekless: {}\n", printable(text)));
  if (recorded.report.events == 0) answer.warn("no file was read, or none that --only keeps");
  return answer.result(to_json(recorded));
}

}  // namespace

void add_record(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("record", "Run a program, and record what it and its children read");
  command
      ->add_option("-o,--output", arguments->output,
                   "The trace to write: LZ4-framed, or plain if the name ends in .jsonl")
      ->required()
      ->type_name("OUT");
  command
      ->add_option("--scenario", arguments->scenario,
                   "What is being loaded [the file's name without endings and run number]; "
                   "'seekless mark' begins the next")
      ->type_name("NAME");
  command->add_option("--only", arguments->only, "Keep only paths that match; may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command->add_option("COMMAND", arguments->command, "The program and its arguments, behind '--'")
      ->required();
  arguments->answer.add_option(*command);
  command->footer(
      "Example:\n"
      "  seekless record -o menu.1.trace --only '/usr/share/games/**' -- game -window\n"
      "\n"
      "The trace grows while the game runs, and is kept however the game ends.\n"
      "Ctrl-C goes to the game; the recording ends with its last process. The exit\n"
      "code is 0 if the recording is whole, whatever the game's was.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
