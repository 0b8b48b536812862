// Whether archives may be replaced in place: what a player would regret is refused.
#pragma once

#include <string>

#include "packer/host/error.h"
#include "packer/repack/forecast.h"

namespace seekless {

// `content` is for the error: recordings of other archives, or loads that would get slower.
Result<void> check_worth(const RepackForecast& forecast, const std::string& content);

}  // namespace seekless
