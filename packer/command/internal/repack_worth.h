// Refuses to replace archives in place where a player would regret it.
#pragma once

#include <optional>

#include "packer/base/error.h"
#include "packer/command/internal/repack_options.h"
#include "packer/repack/forecast.h"

namespace seekless {

// Checks a change of the game's own folder. Returns an error if the recordings are of other
// archives, or if loads would get slower, unless --force is given. A dry run only warns.
Result<void> check_worth(const RepackArguments& arguments,
                         const std::optional<RepackForecast>& forecast);

}  // namespace seekless
