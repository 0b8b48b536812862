// Receives signals in place of the program that this process runs. The signals are waited for
// instead of obeyed, and passed on. Once the program has ended, they can't change its exit code.
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
  // Call this when the program has ended with this code, which this process will return, too. From
  // then on, the first signal that asks this process to end is noted (is_interrupted()), and the
  // second ends it at once.
  static void keep_exit_code(int exit_code);

 private:
  sigset_t held_;
  sigset_t blocked_before_;
  struct sigaction children_before_ = {};
};

}  // namespace seekless
