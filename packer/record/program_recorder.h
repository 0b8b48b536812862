// Runs a program and records what it and its children read, in the way of each system: under ptrace
// (tracer.h), or by hooks in it (injected_windows.h). Everything that the program's own parent
// would do with it happens as if nobody watched.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/record/recording.h"

namespace seekless {

// How the program ended: one of the two.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;
};

class ProgramRecorder {
 public:
  // `warn` prints a line for the user.
  using Warn = std::function<void(std::string_view)>;
  static std::unique_ptr<ProgramRecorder> create(Recording& recording, Warn warn);
  virtual ~ProgramRecorder() = default;

  // Starts the program: it has been found, is one that can be recorded, and waits for its first
  // instruction. If not, nothing of it remains.
  virtual Result<void> start(const std::vector<std::string>& command) = 0;
  // A program that runs already, until it ends or the recorder is told to stop.
  static bool can_attach();
  virtual Result<void> attach(uint32_t) { return {}; }
  // Until the last process has ended. Write errors of the recording come from its finish().
  virtual Result<ProgramEnd> run() = 0;
  // All that has happened until now is in the recording; any thread, before a mark.
  virtual Result<void> catch_up() { return {}; }

  virtual uint64_t io_urings() const { return 0; }
  virtual uint64_t processes() const = 0;
};

}  // namespace seekless
