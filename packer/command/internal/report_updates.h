// Makes the updates page of `report`, which shows how much players had to download and write for
// each release.
#pragma once

#include <string>

#include "packer/command/internal/command.h"
#include "packer/command/internal/inputs.h"

namespace seekless {

// Reports the releases of a build file from its state folder. `html` may be empty.
Result<void> report_updates(const std::string& build_file, const std::string& html,
                            const Output& answer);

// Checks the arguments that the parser can't require, because --updates needs none of them.
Result<void> check_given(const std::string& set, const TraceOptions& traces,
                         const ContentOptions& content);

}  // namespace seekless
