#include "packer/record/marks.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "packer/base/each_once.h"

namespace seekless {

std::string message_of(const MarkRequest& request) {
  return request ? "b" + *request : "e";
}

std::string answer_to(const std::string& message, const std::string& file,
                      const MarkListener::Handler& handler) noexcept {
  try {
    if (message == "f") return "+" + file;
    const bool begins = message.starts_with('b');
    if (!begins && message != "e") return "-a request of another version";
    const auto marked = handler(begins ? MarkRequest(message.substr(1)) : std::nullopt);
    return marked ? "+" : "-" + marked.error().message;
  } catch (const std::exception&) {
    return {};
  }
}

std::string name_of_recording(uint32_t process) {
  return fmt::format("the recording of process {}", process);
}

Result<std::string> understood_answer(const std::string& name,
                                      const std::optional<std::string>& answer) {
  if (answer && answer->starts_with('+')) return answer->substr(1);
  return failed({.file = name,
                 .expected = "an answer",
                 .found = answer && !answer->empty() ? answer->substr(1) : "none",
                 .advice = "see whether it is still running"});
}

Result<std::vector<RunningRecording>> find_recordings() {
  SKL_TRY(auto processes, recording_processes());
  keep_each_once(processes);
  std::vector<RunningRecording> found;
  for (const uint32_t process : processes)
    if (auto file = ask_recording(process, "f")) found.push_back({process, *std::move(file)});
  return found;
}

Result<void> send_mark(const RunningRecording& recording, const MarkRequest& request) {
  SKL_TRY_DROP(ask_recording(recording.process, message_of(request)));
  return {};
}

MarkListener::MarkListener(std::shared_ptr<Endpoint> endpoint, std::string file, Handler handler)
    : listening_([endpoint = std::move(endpoint), file = std::move(file),
                  handler = std::move(handler)](const std::stop_token& stop) {
        listen_on(*endpoint, file, handler, stop);
      }) {}

}  // namespace seekless
