#include "packer/serve/internal/held_signals.h"

#include <atomic>

#include <unistd.h>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

// People and programs send these signals to a game that they started.
constexpr std::array kHandedOn = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};

// Returns true for signals of the terminal's keys, which reach the program by themselves, because
// it is in the same process group.
bool is_of_keys(const siginfo_t& signal) {
  return (signal.si_signo == SIGINT || signal.si_signo == SIGQUIT) && signal.si_code == SI_KERNEL;
}

constexpr std::array kAskToEnd = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};

std::atomic<int> kept_exit_code = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads it");

void end_or_note(int) {
  if (is_interrupted()) ::_exit(kept_exit_code);
  set_interrupted(true);
}

void pass_over(int) {}

// Sets a handler, unless the parent process has set the signal to be ignored.
void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

HeldSignals::HeldSignals() {
  ::sigemptyset(&held_);
  ::sigaddset(&held_, SIGCHLD);
  for (const int signal : kHandedOn) ::sigaddset(&held_, signal);
  ::sigprocmask(SIG_BLOCK, &held_, &blocked_before_);
  // If SIGCHLD is ignored, children's exit codes are lost.
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

void HeldSignals::keep_exit_code(int exit_code) {
  kept_exit_code = exit_code;
  set_interrupted(false);  // from now on, note_interrupts() leaves the signals to this
  for (const int signal : kHandedOn) handle_unless_ignored(signal, pass_over);
  for (const int signal : kAskToEnd) handle_unless_ignored(signal, end_or_note);
}

}  // namespace seekless
