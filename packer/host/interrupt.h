// Handles requests to stop (Ctrl-C, a cancelled job) while a file is half-written: the next read or
// write fails, and the half-written file is removed on the way out, as after any other error.
#pragma once

#include <exception>

namespace seekless {

// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, unless they were
// ignored. A second one ends it.
void note_interrupts();
bool is_interrupted() noexcept;

// For a program that runs commands as functions and handles signals itself: from the first call on,
// note_interrupts() leaves signals alone. True stops the current work; false says that the next
// work isn't affected.
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
