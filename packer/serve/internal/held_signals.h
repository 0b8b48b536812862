// Receives signals in place of the program that this process runs. The signals are waited for
// instead of obeyed, and passed on; at the end their handling is restored.
#pragma once

#include <array>
#include <csignal>
#include <ctime>
#include <optional>

namespace seekless {

// Use this only in a process with one thread.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals() { give_back(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // Restores the signals in the child that becomes the program, so that it inherits what it would
  // inherit without seekless.
  void give_back() const;
  // Waits for a signal for at most this long. Returns a signal to pass on to the program, or 0 if a
  // child may have ended. Returns nothing if none came.
  std::optional<int> wait(const timespec& most) const;

 private:
  sigset_t held_;
  sigset_t blocked_before_;
  struct sigaction children_before_ = {};
};

}  // namespace seekless
