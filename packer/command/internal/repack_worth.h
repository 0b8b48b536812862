// Refuses to replace archives in place where a player would regret it.
#pragma once

#include <optional>

#include "packer/base/error.h"
#include "packer/command/internal/repack_options.h"
#include "packer/repack/forecast.h"

namespace seekless {

// For what changes the game's own folder. Error: recordings of other archives, or loads that would
// get slower, unless --force is given. A dry run only warns of it.
Result<void> check_worth(const RepackArguments& arguments,
                         const std::optional<RepackForecast>& forecast);

}  // namespace seekless
