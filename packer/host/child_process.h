// Runs another program, and hands over what it prints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Returns the path of this program's own file, as people write it; empty if unknown.
std::string own_program();

// Sets a variable in the environment of this process, which programs that it starts inherit.
void set_variable(const std::string& name, const std::string& value);

// Opens a page in the user's browser, and doesn't wait for it.
Result<void> open_in_browser(const std::string& address);

class ChildProcess {
 public:
  // Starts a program, found as a shell finds it, in a group of its own, without standard input.
  static Result<ChildProcess> start(const std::vector<std::string>& command);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  // Waits for a fifth of a second at most. Returns what the program has printed to its standard
  // streams since the last call, a piece at a time; none after it has ended and everything was
  // returned.
  std::optional<std::string> output();
  // Asks the program and its children to stop, as Ctrl-C does.
  void interrupt() const;
  // Returns the exit code, or 128 plus the signal's number. Valid once output() returned none.
  int exit_code() const;

 private:
  struct Running;
  explicit ChildProcess(std::unique_ptr<Running> running);

  std::unique_ptr<Running> running_;
};

}  // namespace seekless
