// Handles requests to stop (Ctrl-C, a cancelled job) while a file is half-written: the next read or
// write fails, and the half-written file is removed on the way out, as after any other error.
#pragma once

#include <exception>

namespace seekless {

// From this call on, the first SIGINT, SIGTERM or SIGHUP is noted instead of ending the process,
// unless it was ignored before. A second one ends the process.
void note_interrupts();
bool is_interrupted() noexcept;

// This is for programs that run commands as functions and handle signals themselves: after the
// first call, note_interrupts() leaves signals alone. True stops the current work; false lets the
// next work run.
void set_interrupted(bool is_to_stop) noexcept;

// Long computations throw this when they are to stop.
class Interrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "the run was interrupted"; }
};

// Long computations call this now and then, from any thread.
inline void stop_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

}  // namespace seekless
