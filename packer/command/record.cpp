// seekless record: runs a program and writes what it and its children read as a trace, in the
// project's own form. Standard output is the program's; what is to say goes to standard error.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "packer/command/command.h"
#include "packer/command/trace_summary.h"
#include "packer/host/counted.h"
#include "packer/host/in_parallel.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"
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

// One line on standard error while the recording runs; nothing where that is no terminal.
class RecordingLine {
 public:
  explicit RecordingLine(Recording& recording) : recording_(recording) {
    if (is_terminal(StandardStream::error))
      drawing_ = thread_to_do_without([this](const std::stop_token& stop) { draw(stop); });
  }

 private:
  void draw(const std::stop_token& stop) {
    constexpr auto kInterval = std::chrono::seconds(1);
    std::unique_lock lock(mutex_);
    bool drawn = false;
    const size_t columns = terminal_width() - 1;
    while (!stop.stop_requested()) {
      stopping_.wait_for(lock, stop, kInterval, [] { return false; });
      if (stop.stop_requested()) break;
      const Recording::Figures figures = recording_.figures();
      const std::string text = printable(fmt::format(
          "recording {}: {} events, {:.1f} MB, {:.0f} s", figures.scenario, figures.events,
          static_cast<double>(figures.read_bytes) / 1e6, figures.seconds));
      say(fmt::format("\r{:<{}.{}}\r", text, columns, columns));
      drawn = true;
    }
    if (drawn) say(fmt::format("\r{:{}}\r", "", columns));
  }

  Recording& recording_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread drawing_;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Without the machine's name: traces are passed on.
std::string machine() {
  utsname names = {};
  if (::uname(&names) != 0) return {};
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::string name_of(const std::string& program) {
  return program.substr(program.find_last_of('/') + 1);
}

void say_line(const std::string& text) {
  say(fmt::format("seekless: {}\n", printable(text)));
}

void print_summary(const Arguments& arguments, const ImportReport& report, const ProgramEnd& end) {
  const std::string program = name_of(arguments.command.front());
  if (end.signal != 0)
    say_line(fmt::format("{} was ended by signal {}; what it read until then is kept", program,
                         end.signal));
  else if (end.exit_code != 0)
    say_line(fmt::format("{} exited with {}", program, end.exit_code));
  say_line(trace_summary(arguments.output, program, report));
  if (report.left_out_reads > 0)
    say_line(fmt::format("  left out: {} by --only", counted(report.left_out_reads, "read")));
  if (report.events == 0) arguments.answer.warn("no file was read, or none that --only keeps");
}

Json to_json(const Arguments& arguments, const ImportReport& report, uint64_t marks,
             const Tracer& tracer, const ProgramEnd& end) {
  Json json = {{"command", "record"},
               {"output", arguments.output},
               {"scenario", report.scenario},
               {"events", report.events},
               {"reads", report.reads},
               {"bytes", report.read_bytes},
               {"paths", report.paths},
               {"seconds", seconds_of(report)},
               {"marks", marks},
               {"processes", tracer.processes()},
               {"io_urings", tracer.io_urings()},
               {"exit_code", nullptr},
               {"signal", nullptr}};
  if (end.signal != 0)
    json["signal"] = end.signal;
  else
    json["exit_code"] = end.exit_code;
  return json;
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
  if (auto begun = trace.begin({.scenario = arguments.scenario,
                                .machine = machine(),
                                .command = joined(arguments.command)});
      !begun)
    return begun;
  Result<ProgramEnd> end;
  {
    auto marks = MarkListener::create(arguments.output, [&trace](const MarkRequest& request) {
      return trace.mark(request.value_or(""), request.has_value());
    });
    if (!marks) answer.warn(fmt::format("'seekless mark' won't work: {}", marks.error().message));
    const RecordingLine line(trace);
    end = tracer.run();
  }
  const uint64_t marks = trace.figures().marks;
  if (auto finished = trace.finish(); !finished) return finished;
  if (!end) return std::unexpected(end.error());
  print_summary(arguments, trace.report(), *end);
  return answer.result(to_json(arguments, trace.report(), marks, tracer, *end));
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
