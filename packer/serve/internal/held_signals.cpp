#include "packer/serve/internal/held_signals.h"

namespace seekless {
namespace {

// People and programs send these signals to a game that they started.
constexpr std::array kHandedOn = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};

// Returns true for signals of the terminal's keys, which reach the program by themselves, because
// it is in the same process group.
bool is_of_keys(const siginfo_t& signal) {
  return (signal.si_signo == SIGINT || signal.si_signo == SIGQUIT) && signal.si_code == SI_KERNEL;
}

}  // namespace

HeldSignals::HeldSignals() {
  ::sigemptyset(&held_);
  ::sigaddset(&held_, SIGCHLD);
  for (const int signal : kHandedOn) ::sigaddset(&held_, signal);
  ::sigprocmask(SIG_BLOCK, &held_, &blocked_before_);
  // Where SIGCHLD is ignored, children's exit codes are lost.
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, &children_before_);
}

void HeldSignals::give_back() const {
  ::sigaction(SIGCHLD, &children_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &blocked_before_, nullptr);
}

std::optional<int> HeldSignals::wait(const timespec& most) const {
  siginfo_t signal = {};
  const int number = ::sigtimedwait(&held_, &signal, &most);
  if (number < 0) return std::nullopt;
  return number == SIGCHLD || is_of_keys(signal) ? 0 : number;
}

}  // namespace seekless
