// Runs a program on Windows that isn't watched, and names one that runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Returns the program's exit code. Keys that end programs go to that program alone. If the program
// wants an administrator's rights, Windows asks the user for them.
Result<int> run_plainly(const std::vector<std::string>& command);

// Returns the path of a running process's program, with slashes; empty if unknown.
std::string program_of_process(uint32_t process);

}  // namespace seekless
