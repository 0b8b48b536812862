// Being told to stop (Ctrl-C, a cancelled job) while a file is half-written: the next read or write
// fails, and what is half-written is cleared away on the way out, as after any other error.
#pragma once

#include <exception>

namespace seekless {

// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, unless they were
// ignored; a second one ends it.
void note_interrupts();
bool is_interrupted() noexcept;

// For a program that runs commands as functions and hears of signals itself: note_interrupts() then
// leaves them alone, from the first call on. True: what is under way is to stop; false: what comes
// next isn't concerned.
void set_interrupted(bool is_to_stop) noexcept;

// What work throws that computes for long, when it is to stop.
class Interrupted final : public std::exception {
 public:
  const char* what() const noexcept override { return "the run was interrupted"; }
};

// To be called now and then by such work, from any thread.
inline void stop_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

}  // namespace seekless
