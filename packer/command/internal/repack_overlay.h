// Runs 'repack --overlay', which writes one more archive instead of rewriting archives.
#pragma once

#include "packer/command/internal/repack_options.h"

namespace seekless {

// Scans, plans, prints the overlay's predicted gain, and writes it unless this is a dry run.
Result<void> run_overlay(RepackArguments arguments);

}  // namespace seekless
