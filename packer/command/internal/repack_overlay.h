// repack --overlay: one archive more instead of archives rewritten.
#pragma once

#include "packer/command/internal/repack_options.h"

namespace seekless {

// Scans, plans, says what it would bring, and writes the overlay unless it is a dry run.
Result<void> run_overlay(RepackArguments arguments);

}  // namespace seekless
