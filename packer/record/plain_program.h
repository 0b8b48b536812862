// Runs a program on Windows that isn't watched.
#pragma once

#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Returns the program's exit code. Keys that end programs go to that program alone.
Result<int> run_plainly(const std::vector<std::string>& command);

}  // namespace seekless
