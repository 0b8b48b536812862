// A program may start a child that may not be traced (CLONE_UNTRACED). The filter of system calls
// is passed on to it all the same, and with nobody to answer, each call that stops there would
// fail. So the flag is taken out of the call; the child then is followed as any other.
#pragma once

#include <cstdint>

#include "packer/record/internal/call_events.h"

namespace seekless {

// The thread is stopped before clone or clone3. The flag is put back after the call, so that the
// program finds what it wrote.
void take_untraced_flag(TracedThread& thread, const SystemCall& call);
void put_untraced_flag_back(TracedThread& thread);

}  // namespace seekless
