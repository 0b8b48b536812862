// Limits how many processes and threads `play` makes for itself: those that a control group or a
// user may have are for the game.
#pragma once

#include <cstdint>

#include "packer/base/error.h"

namespace seekless {

// Fails if the game could then make fewer processes and threads than games do.
Result<void> check_tasks();

// Returns how many threads may answer the calls of each of so many folders.
unsigned most_threads(uint64_t folders);

}  // namespace seekless
