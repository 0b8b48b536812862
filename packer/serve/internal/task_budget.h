// Limits how many processes and threads `play` makes for itself. The game needs those that its
// control group or user may have.
#pragma once

#include <cstdint>

#include "packer/base/error.h"

namespace seekless {

// Fails if the game could then make fewer processes and threads than games do.
Result<void> check_tasks();

// Returns how many threads may answer the calls of each of `folders` folders.
unsigned most_threads(uint64_t folders);

}  // namespace seekless
