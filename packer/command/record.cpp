// seekless record: runs a program, and writes what it and its children read as a trace in the
// project's own form. Standard output belongs to the program; messages go to standard error.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "packer/answer/trace_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/live_line.h"
#include "packer/host/calls.h"
#include "packer/host/native_path.h"
#include "packer/host/standard_streams.h"
#include "packer/profile/scenario_name.h"
#include "packer/record/marks.h"
#include "packer/record/program_recorder.h"
#include "packer/record/recording.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

struct RecordArguments {
  std::string output;
  std::string scenario;
  std::vector<std::string> only;
  std::vector<std::string> command;
  uint32_t process = 0;  // process that already runs, instead of a command
  Output answer;
};

std::string state_of(const Recording::Figures& figures) {
  return fmt::format("recording {}: {} events, {:.1f} MB, {:.0f} s", figures.scenario,
                     figures.events, megabytes(figures.read_bytes), figures.seconds);
}

std::string name_of(const RecordArguments& arguments) {
  if (arguments.process != 0) return fmt::format("process {}", arguments.process);
  const std::string& program = arguments.command.front();
  return program.substr(program.find_last_of(has_windows_names() ? "/\\" : "/") + 1);
}

Result<void> check_asked(const RecordArguments& arguments) {
  if (arguments.command.empty() == (arguments.process == 0))
    return wrong_usage({.place = "record",
                        .expected = "either a command or --pid",
                        .found = arguments.process == 0 ? "neither" : "both"});
  return {};
}

Result<void> begin(ProgramRecorder& recorder, const RecordArguments& arguments) {
  return arguments.process == 0 ? recorder.start(arguments.command)
                                : recorder.attach(arguments.process);
}

// Checks the scenario's name before the recording, because afterwards it would be too late.
Result<void> check_scenario(const RecordArguments& arguments, const std::string& of_file) {
  const bool is_given = !arguments.scenario.empty();
  const std::string fault = fault_of_scenario_name(is_given ? arguments.scenario : of_file);
  if (fault.empty()) return {};
  return wrong_usage({.file = is_given ? "" : arguments.output,
                      .place = is_given ? "--scenario" : "its scenario",
                      .expected = kScenarioNames,
                      .found = fault,
                      .advice = is_given ? "" : "name the scenario with --scenario"});
}

// Returns "PROGRAM.1.trace", or the same with the first unused number, which distinguishes runs of
// one scenario.
std::string free_name(const RecordArguments& arguments) {
  std::string stem =
      arguments.process == 0 ? name_of(arguments) : fmt::format("process-{}", arguments.process);
  if (fault_of_scenario_name(stem) != "" || stem.starts_with('-')) stem = "recording";
  for (int number = 1;; ++number) {
    std::string name = fmt::format("{}.{}.trace", stem, number);
    if (!calls::is_there(name)) return name;
  }
}

Result<void> run(RecordArguments& arguments) {
  SKL_TRY_DO(check_asked(arguments));
  if (arguments.output.empty()) arguments.output = free_name(arguments);
  ImportOptions options;
  options.only = arguments.only;
  options.default_scenario = scenario_of_file(arguments.output);
  SKL_TRY_DO(check_scenario(arguments, options.default_scenario));
  SKL_TRY(auto recording, Recording::create(arguments.output, options));
  Recording& trace = *recording;

  const Output& answer = arguments.answer;
  const auto recorder =
      ProgramRecorder::create(trace, [&answer](std::string_view text) { answer.warn(text); });
  SKL_TRY_DO(begin(*recorder, arguments));
  SKL_TRY_DO(trace.begin(header_of(arguments.scenario, arguments.command)));
  Result<ProgramEnd> end;
  {
    auto marks =
        MarkListener::create(arguments.output, [&](const MarkRequest& request) -> Result<void> {
          SKL_TRY_DO(recorder->catch_up());
          return trace.mark(request.value_or(""), request.has_value());
        });
    if (!marks) answer.warn(fmt::format("'seekless mark' won't work: {}", marks.error().message));
    const LiveLine line(std::chrono::seconds(1), [&trace] { return state_of(trace.figures()); });
    end = recorder->run();
  }
  const uint64_t marks = trace.figures().marks;
  SKL_TRY_DO(trace.finish());
  if (!end) return std::unexpected(end.error());
  const RecordedTrace recorded = {.output = arguments.output,
                                  .program = name_of(arguments),
                                  .report = trace.report(),
                                  .marks = marks,
                                  .processes = recorder->processes(),
                                  .io_urings = recorder->io_urings(),
                                  .exit_code = end->exit_code,
                                  .signal = end->signal};
  for (const std::string& text : lines_of(recorded))
    say(fmt::format("seekless: {}\n", printable(in_one_line(text))));
  if (const auto& unread = trace.unread_marks(); !unread.empty())
    answer.warn(
        fmt::format("nothing was read after the marks '{}', so they begin no scenarios; mark "
                    "before the load begins",
                    fmt::join(unread, "', '")));
  if (recorded.report.events > 0) say(answer.next_line({"analyze", arguments.output}) + "\n");
  if (recorded.report.events == 0) answer.warn("no file was read, or none that --only keeps");
  return answer.result(to_json(recorded));
}

}  // namespace

void add_record(const Command& tool) {
  auto arguments = std::make_shared<RecordArguments>();
  const Command command =
      tool.add("record", "Run a program and record what it and its children read");
  command.option({.name = "-o,--output",
                  .takes = "OUT",
                  .help = "Output file: LZ4-framed, or plain if the name ends in .jsonl",
                  .usual = "the program's name and the first unused number: game.1.trace"},
                 arguments->output);
  command.option({.name = "--scenario",
                  .takes = "NAME",
                  .help = "Name of the scenario that is recorded [the file's name without endings "
                          "and run number]; 'seekless mark' begins another one"},
                 arguments->scenario);
  command.option(
      {.name = "--only", .takes = "GLOB", .help = "Keep only matching paths; repeatable"},
      arguments->only);
  command.option({.name = "COMMAND",
                  .help = "The program and its arguments, after '--'",
                  .is_required = !ProgramRecorder::can_attach()},
                 arguments->command);
  if (ProgramRecorder::can_attach())
    command.option({.name = "--pid",
                    .takes = "PID",
                    .help = "Process ID of a running program, instead of COMMAND"},
                   arguments->process);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless record -o menu.1.trace --only '/usr/share/games/**' -- game "
      "-window\n\nThe trace is written while the game runs, so it survives a crash. Ctrl-C goes "
      "to\nthe game; the recording ends when the game's last process ends. The exit\ncode is 0 "
      "if the recording is complete, whatever the game's exit code was.");
  command.without_progress();
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
