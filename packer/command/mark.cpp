// seekless mark: tells a recording that runs in another shell that a scenario begins or ends.
#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/mark_answer.h"
#include "packer/command/internal/command.h"
#include "packer/host/files.h"
#include "packer/record/marks.h"

namespace seekless {
namespace {

struct MarkArguments {
  std::string scenario;
  std::string recording;
  bool ends = false;
  Output answer;
};

std::string list_of(const std::vector<RunningRecording>& recordings) {
  std::string text;
  for (const RunningRecording& recording : recordings)
    text += fmt::format("{}{} ('{}')", text.empty() ? "" : ", ", recording.process, recording.file);
  return text.empty() ? "none" : text;
}

Result<RunningRecording> choose(const MarkArguments& arguments) {
  SKL_TRY(auto recordings, find_recordings());
  if (arguments.recording.empty()) {
    if (recordings.size() == 1) return recordings.front();
    return failed({.place = "mark",
                   .expected = "one running recording of yours",
                   .found = list_of(recordings),
                   .advice = recordings.empty() ? "start one with seekless record"
                                                : "name one with --recording"});
  }
  const std::string& wanted = arguments.recording;
  const std::string file = canonical_path(wanted);
  const auto found = std::ranges::find_if(recordings, [&](const RunningRecording& recording) {
    return std::to_string(recording.process) == wanted || recording.file == file;
  });
  if (found != recordings.end()) return *found;
  return failed({.place = "--recording",
                 .expected = "the process or file of a running recording",
                 .found = fmt::format("'{}'; running: {}", wanted, list_of(recordings))});
}

Result<void> run(const MarkArguments& arguments) {
  if (arguments.ends != arguments.scenario.empty())
    return wrong_usage({.place = "mark",
                        .expected = "either a scenario's name or --end",
                        .found = arguments.ends ? "both" : "neither"});
  if (arguments.scenario.size() > kMaxScenarioBytes)
    return wrong_usage({.place = "NAME",
                        .expected = fmt::format("at most {} bytes", kMaxScenarioBytes),
                        .found = fmt::format("{}", arguments.scenario.size())});
  SKL_TRY(const auto recording, choose(arguments));
  const MarkRequest request = arguments.ends ? std::nullopt : MarkRequest(arguments.scenario);
  SKL_TRY_DO(send_mark(recording, request));
  const MarkAnswer answer = {
      .process = recording.process, .recording = recording.file, .scenario = request};
  arguments.answer.line(to_text(answer));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_mark(const Command& tool) {
  auto arguments = std::make_shared<MarkArguments>();
  const Command command =
      tool.add("mark", "Begin a scenario in a recording that runs in another shell");
  command.option({.name = "NAME", .help = "The scenario's name, such as 'map/rush'"},
                 arguments->scenario);
  command.option(
      {.name = "--end", .help = "End the current scenario; the recording's own scenario continues"},
      arguments->ends);
  command.option({.name = "--recording",
                  .takes = "FILE|PID",
                  .help = "Which recording to mark, if several run: its file or process ID"},
                 arguments->recording);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n"
      "  seekless mark map/rush\n"
      "\n"
      "To mark from within a game, bind the command to a key, in the desktop's\n"
      "settings or, with xbindkeys, in ~/.xbindkeysrc:\n"
      "  \"seekless mark map/next\"\n"
      "    F9");
  command.without_progress();
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
