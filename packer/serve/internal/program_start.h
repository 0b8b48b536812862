// Starts a program as if nobody stood between it and whoever asked for it: with the same signals,
// limits, mask and descriptors.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "packer/base/error.h"
#include "packer/serve/internal/held_signals.h"

namespace seekless {

// With nothing in between. Calls `every_second` for as long as it takes. Error: there is no such
// program. Where the system gives no further process, this one becomes the program.
Result<pid_t> start_program(const std::vector<std::string>& command, const HeldSignals& signals);

// Where `covered` is served: the program waits until it is, and enters its own folder anew, which
// may lie in there. Nothing: the folder isn't served after all, or the system gives no process.
Result<std::optional<pid_t>> start_covered(const std::vector<std::string>& command,
                                           const HeldSignals& signals, const std::string& covered,
                                           const std::function<void()>& every_second);

// How shells tell the end of a program: its exit code, or 128 and the signal that ended it.
int exit_code_of(int status);

}  // namespace seekless
