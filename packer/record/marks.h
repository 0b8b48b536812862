// How another process tells a running recording that a scenario begins: a socket with a name that
// only the kernel keeps, so that nothing remains of it however the recorder ends. Recordings of
// the same user are found by their names; nobody else is listened to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "packer/host/error.h"

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
  MarkListener(MarkListener&& other) noexcept;
  MarkListener& operator=(MarkListener&&) = delete;
  MarkListener(const MarkListener&) = delete;
  MarkListener& operator=(const MarkListener&) = delete;
  ~MarkListener();

 private:
  MarkListener(int socket, std::string file, Handler handler);
  int socket_ = -1;
  std::jthread listening_;
};

struct RunningRecording {
  uint32_t process = 0;
  std::string file;  // absolute
};
// Sorted by process.
Result<std::vector<RunningRecording>> find_recordings();
Result<void> send_mark(const RunningRecording& recording, const MarkRequest& request);

}  // namespace seekless
