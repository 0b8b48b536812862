// Tests whether this system allows recording a program.
#pragma once

#include "packer/base/error.h"

namespace seekless {

// Starts a process of its own that reads a file, and stops it at that call as the recorder does.
// The process has ended when this returns. If recording isn't possible, the error says what is
// missing, and what to do.
Result<void> try_recording();

}  // namespace seekless
