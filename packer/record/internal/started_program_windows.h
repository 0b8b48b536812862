// Starts programs on Windows with this process's standard streams.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "runtime/handle_windows.h"

namespace seekless {

struct StartedProgram {
  runtime::Handle process;
  runtime::Handle thread;  // the first one
  uint32_t id = 0;
};

// The program waits at its first instruction until its thread is resumed.
Result<StartedProgram> start_suspended(const std::vector<std::string>& command);

}  // namespace seekless
