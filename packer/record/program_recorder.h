// Runs a program and records what it and its children read, under ptrace (tracer.h) or by hooks in
// it (injected_windows.h). The program and its parent see no other difference.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/record/recording.h"

namespace seekless {

// Tells how the program ended; one of the first two is set.
struct ProgramEnd {
  int exit_code = 0;
  int signal = 0;
  std::chrono::steady_clock::duration lived{};  // on Windows; of a program that was started
};

class ProgramRecorder {
 public:
  // `warn` prints a line for the user.
  using Warn = std::function<void(std::string_view)>;
  static std::unique_ptr<ProgramRecorder> create(Recording& recording, Warn warn);
  // Gives the events to anyone, as they come. Exists on Windows only. `taker` must outlive the
  // recorder.
  static std::unique_ptr<ProgramRecorder> create_live(EventTaker& taker, Warn warn);
  virtual ~ProgramRecorder() = default;

  // Starts the program, which then waits at its first instruction. If it can't be found or
  // recorded, this fails, and nothing of it remains.
  virtual Result<void> start(const std::vector<std::string>& command) = 0;
  // A recorder may also be able to attach() to a running program, and record it until it ends or
  // the recorder is told to stop.
  static bool can_attach();
  virtual Result<void> attach(uint32_t) { return {}; }
  // Runs until the last process has ended. Errors of writing the recording come from its finish().
  virtual Result<ProgramEnd> run() = 0;
  // Lets the program run on without being recorded, after an error. Returns its exit code once it
  // has ended; a program that was attached to isn't waited for.
  virtual int run_unrecorded() { return 0; }
  // Makes sure that the recording contains everything up to now. Any thread may call it, before a
  // mark.
  virtual Result<void> catch_up() { return {}; }

  // Tells the program that we hold some of its files open, or no longer any. Any thread may call
  // this and the next one.
  virtual void hold_files(bool) {}
  // Returns true once after each time that the program couldn't open a file meanwhile. It tries
  // again for a moment.
  virtual bool are_files_wanted() { return false; }

  virtual uint64_t io_urings() const { return 0; }
  virtual uint64_t processes() const = 0;
};

}  // namespace seekless
