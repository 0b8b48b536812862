// Refuses to replace archives in place if loads would get slower.
#pragma once

#include <string>

#include "packer/base/error.h"
#include "packer/repack/forecast.h"

namespace seekless {

// Returns an error if the recordings are of other archives, or if loads would get slower. `content`
// is the folder.
Result<void> check_gain(const RepackForecast& forecast, const std::string& content);

}  // namespace seekless
