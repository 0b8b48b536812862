// Starts a program as if nobody stood between it and its caller: with the same signals, limits,
// mask and descriptors.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "packer/base/error.h"
#include "packer/serve/internal/held_signals.h"

namespace seekless {

// Makes this process the program. Returns only if there is no such program.
std::unexpected<Error> become_program(const std::vector<std::string>& command,
                                      const HeldSignals& signals);

// Starts the program plainly. Fails if there is no such program. If the system can't create another
// process, this process becomes the program.
Result<pid_t> start_program(const std::vector<std::string>& command, const HeldSignals& signals);

// Starts the program where the folders `covered` are served. The program waits until they are, and
// then enters its working folder again, which may lie in one. Returns nothing if one isn't served
// after all, or the system can't create a process.
Result<std::optional<pid_t>> start_covered(const std::vector<std::string>& command,
                                           const HeldSignals& signals,
                                           const std::vector<std::string>& covered,
                                           const std::function<void()>& every_second);

// Returns a program's exit code as shells do: its own, or 128 plus the signal that ended it.
int exit_code_of(int status);

}  // namespace seekless
