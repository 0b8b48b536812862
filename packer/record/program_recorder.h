// Runs a program and records what it and its children read, under ptrace (tracer.h) or by hooks in
// it (injected_windows.h). Apart from that the program and its parent see no difference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/record/recording.h"

namespace seekless {

// How the program ended; one of the two is set.
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

  // Starts the program: it is found, can be recorded, and waits at its first instruction. After an
  // error nothing of it remains.
  virtual Result<void> start(const std::vector<std::string>& command) = 0;
  // Such a recorder can also follow a program that already runs, with attach(), until the program
  // ends or the recorder is told to stop.
  static bool can_attach();
  virtual Result<void> attach(uint32_t) { return {}; }
  // Runs until the last process has ended. Errors of writing the recording come from its finish().
  virtual Result<ProgramEnd> run() = 0;
  // Makes sure that everything that has happened until now is in the recording. Any thread may call
  // it, before a mark.
  virtual Result<void> catch_up() { return {}; }

  virtual uint64_t io_urings() const { return 0; }
  virtual uint64_t processes() const = 0;
};

}  // namespace seekless
