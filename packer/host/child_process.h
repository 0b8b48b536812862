// Runs another program, and hands over what it prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/descriptor.h"

namespace seekless {

// Returns the path of this program's own file; empty if the system doesn't tell.
std::string own_program();

// Starts a program that lives on by itself and reads and prints nothing.
Result<void> start_detached(const std::vector<std::string>& command);

class ChildProcess {
 public:
  // Starts a program, found as a shell finds it, in a group of its own, without standard input.
  static Result<ChildProcess> start(const std::vector<std::string>& command);

  // Waits for a fifth of a second at most. Returns what the program has printed to its standard
  // streams since the last call, a piece at a time; none once it has ended and all was returned.
  std::optional<std::string> output();
  // Asks the program and its children to stop, as Ctrl-C does.
  void interrupt() const;
  // Returns the exit code, or 128 and the signal's number. Valid once output() returned none.
  int exit_code() const { return exit_code_; }

 private:
  ChildProcess(int process, Descriptor pipe) : process_(process), pipe_(std::move(pipe)) {}
  bool has_ended();

  int process_ = 0;
  Descriptor pipe_;
  bool is_over_ = false;
  int exit_code_ = 0;
};

}  // namespace seekless
