#include <sched.h>

#include "packer/host/first_in_line.h"

namespace seekless {

FirstInLine::FirstInLine() {
  sched_param now = {};
  policy_ = ::sched_getscheduler(0);
  if (policy_ < 0 || ::sched_getparam(0, &now) != 0) return;
  priority_ = now.sched_priority;
  const sched_param first = {.sched_priority = 1};
  is_changed_ = policy_ == SCHED_OTHER &&
                ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first) == 0;
}

FirstInLine::~FirstInLine() {
  if (!is_changed_) return;
  const sched_param before = {.sched_priority = priority_};
  if (::sched_setscheduler(0, policy_, &before) == 0) return;
  // Keeps the flag, which only root may clear. New threads get their usual priority with it, too.
  (void)::sched_setscheduler(0, policy_ | SCHED_RESET_ON_FORK, &before);
}

}  // namespace seekless
