// Lets another process tell a running recording that a scenario begins. The channel is a socket
// whose name only the kernel holds, or a pipe on Windows, so nothing remains however the recorder
// ends. These names also let a user find the running recordings; requests of other users are
// ignored.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Names the scenario that begins; nothing if the current one ends.
using MarkRequest = std::optional<std::string>;
inline constexpr size_t kMaxScenarioBytes = 4096;

// Listens on a separate thread as long as the object lives.
class MarkListener {
 public:
  using Handler = std::function<Result<void>(const MarkRequest&)>;
  // `file` identifies this recording.
  static Result<MarkListener> create(const std::string& file, Handler handler);
  MarkListener(MarkListener&& other) noexcept = default;
  MarkListener& operator=(MarkListener&&) = delete;
  MarkListener(const MarkListener&) = delete;
  MarkListener& operator=(const MarkListener&) = delete;
  ~MarkListener() = default;  // the thread has stopped by then

 private:
  struct Endpoint;  // a resource of the system, closed with its last owner
  MarkListener(std::shared_ptr<Endpoint> endpoint, std::string file, Handler handler);
  static void listen_on(Endpoint& endpoint, const std::string& file, const Handler& handler,
                        const std::stop_token& stop);

  std::jthread listening_;
};

struct RunningRecording {
  uint32_t process = 0;
  std::string file;  // an absolute path
};
// These write and parse requests and answers, on both systems. A request is 'f' to ask for the
// file, 'e' to end a scenario, or 'b' and a name to begin one. An answer is '+' and the file, if
// any, or '-' and the problem. A process that gets no answer asks again, so a recording that lacks
// memory sends an empty answer and continues.
inline constexpr size_t kMaxMarkMessageBytes = 2 * kMaxScenarioBytes;
std::string message_of(const MarkRequest& request);
std::string answer_to(const std::string& message, const std::string& file,
                      const MarkListener::Handler& handler) noexcept;
// Returns "the recording of process 12", for errors.
std::string name_of_recording(uint32_t process);
// Returns the file from a '+' answer. Fails if `name` gave no answer, or refused.
Result<std::string> understood_answer(const std::string& name,
                                      const std::optional<std::string>& answer);

// Each system implements these two. The first lists this user's processes that may be recording;
// the order may vary, and processes may appear twice. The second sends a message to one of them.
Result<std::vector<uint32_t>> recording_processes();
Result<std::string> ask_recording(uint32_t process, const std::string& message);

// Returns the recordings that answer, sorted by process.
Result<std::vector<RunningRecording>> find_recordings();
Result<void> send_mark(const RunningRecording& recording, const MarkRequest& request);

}  // namespace seekless
