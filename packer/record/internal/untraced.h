// A program may start a child that may not be traced (CLONE_UNTRACED). The child still inherits the
// filter of system calls, so without a recorder each filtered call would fail. This removes the
// flag from the call; the child is then followed like any other.
#pragma once

#include <cstdint>

#include "packer/record/internal/call_events.h"

namespace seekless {

// The thread is stopped before clone or clone3. The flag is restored after the call, so that the
// program finds what it wrote.
void take_untraced_flag(TracedThread& thread, const SystemCall& call);
void put_untraced_flag_back(TracedThread& thread);

}  // namespace seekless
