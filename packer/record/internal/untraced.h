// Handles children that may not be traced (CLONE_UNTRACED). Such a child inherits the filter of
// system calls, so without a recorder each filtered call would fail. This removes the flag from the
// call; the child is then tracked like any other.
#pragma once

#include <cstdint>

#include "packer/record/internal/call_events.h"

namespace seekless {

// Call this while the thread is stopped before clone or clone3. The flag is restored after the
// call, so that the program finds its arguments unchanged.
void take_untraced_flag(TracedThread& thread, const SystemCall& call);
void put_untraced_flag_back(TracedThread& thread);

}  // namespace seekless
