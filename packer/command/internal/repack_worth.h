// Refuses to replace archives in place if that would slow down loads.
#pragma once

#include <optional>

#include "packer/base/error.h"
#include "packer/command/internal/repack_options.h"
#include "packer/repack/forecast.h"

namespace seekless {

// Checks an in-place repack. Returns an error if the recordings were made with other archives, or
// if loads would get slower, unless --force is given. A dry run only warns.
Result<void> check_worth(const RepackArguments& arguments,
                         const std::optional<RepackForecast>& forecast);

}  // namespace seekless
