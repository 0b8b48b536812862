// The update page of `report`: what releases have cost players.
#pragma once

#include <string>

#include "packer/command/internal/command.h"
#include "packer/command/internal/inputs.h"

namespace seekless {

// Reports the releases of a build file from its state folder. `html` may be empty.
Result<void> report_updates(const std::string& build_file, const std::string& html,
                            const Output& answer);

// Of what the command line can't require, as updates need none of it.
Result<void> check_given(const std::string& set, const TraceOptions& traces,
                         const ContentOptions& content);

}  // namespace seekless
