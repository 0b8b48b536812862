// The signals that whoever runs a program hears in the program's place. They are waited for instead
// of obeyed, handed on, and as they were before at the end.
#pragma once

#include <array>
#include <csignal>
#include <ctime>
#include <optional>

namespace seekless {

// For a process of one thread.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals() { give_back(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // As they were before: in the child that becomes the program, so that it inherits what it would
  // without us.
  void give_back() const;
  // Waits for one, but only for so long. A signal that is to be handed on to the program, or 0: a
  // child may have ended. Nothing if none came.
  std::optional<int> wait(const timespec& most) const;

 private:
  sigset_t held_;
  sigset_t blocked_before_;
  struct sigaction children_before_ = {};
};

}  // namespace seekless
