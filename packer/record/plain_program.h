// Runs a program on Windows without watching it, and finds the program of a running process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Returns the program's exit code. Ctrl-C and similar keys reach only that program. If the program
// wants an administrator's rights, Windows asks the user for them.
Result<int> run_plainly(const std::vector<std::string>& command);

// Returns the path of a running process's program, with slashes; empty if unknown.
std::string program_of_process(uint32_t process);

}  // namespace seekless
