// How another process tells a running recording that a scenario begins: a socket with a name that
// only the kernel keeps, or on Windows a pipe, so that nothing remains of it however the recorder
// ends. Recordings of the same user are found by their names; nobody else is listened to.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// The scenario that begins; nothing if the one that is on ends.
using MarkRequest = std::optional<std::string>;
inline constexpr size_t kMaxScenarioBytes = 4096;

// Listens on a thread of its own for as long as it lives.
class MarkListener {
 public:
  using Handler = std::function<Result<void>(const MarkRequest&)>;
  // `file` tells this recording from others.
  static Result<MarkListener> create(const std::string& file, Handler handler);
  MarkListener(MarkListener&& other) noexcept = default;
  MarkListener& operator=(MarkListener&&) = delete;
  MarkListener(const MarkListener&) = delete;
  MarkListener& operator=(const MarkListener&) = delete;
  ~MarkListener() = default;  // once the thread has stopped

 private:
  struct Endpoint;  // the system's; closed with its last owner
  MarkListener(std::shared_ptr<Endpoint> endpoint, std::string file, Handler handler);
  static void listen_on(Endpoint& endpoint, const std::string& file, const Handler& handler,
                        const std::stop_token& stop);

  std::jthread listening_;
};

struct RunningRecording {
  uint32_t process = 0;
  std::string file;  // absolute
};
// What a request is as a message, and what a recording answers: shared by the systems' ways.
// Asked: 'f' for the file, 'e' to end, 'b' and a name to begin. Answered: '+' and the file, if any,
// or '-' and what went wrong. A process that gets no answer asks again, so lack of memory doesn't
// end a recording: then the answer is empty.
inline constexpr size_t kMaxMarkMessageBytes = 2 * kMaxScenarioBytes;
std::string message_of(const MarkRequest& request);
std::string answer_to(const std::string& message, const std::string& file,
                      const MarkListener::Handler& handler) noexcept;
// "the recording of process 12", for errors.
std::string name_of_recording(uint32_t process);
// The file of a '+', or an error that says that `name` gave no answer or refused.
Result<std::string> understood_answer(const std::string& name,
                                      const std::optional<std::string>& answer);

// Each system's own: which processes of this user may be recording, in any order, a process perhaps
// more than once; and a message to one of them, with the file that it answers.
Result<std::vector<uint32_t>> recording_processes();
Result<std::string> ask_recording(uint32_t process, const std::string& message);

// Sorted by process; those that answer.
Result<std::vector<RunningRecording>> find_recordings();
Result<void> send_mark(const RunningRecording& recording, const MarkRequest& request);

}  // namespace seekless
