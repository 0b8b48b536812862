// Stored or deflated: which entries that recordings read are worth storing, by the seconds that
// loads take: the disk's, and what inflating takes the engine.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/profile/profile.h"
#include "packer/repack/forecast.h"
#include "packer/repack/internal/storing.h"

namespace seekless {

// Of content, by one core with zlib, a slow one: Python's zlib did 366 to 384 MB/s of the deflated
// entries of OpenArena's pak0.pk3, in processor time of a server of 2026.
inline constexpr double kInflatedBytesPerSecond = 300e6;

using ForecastWith = std::function<Result<RepackForecast>(const Storing&)>;

// The best forecast of: all stored; none; only those that deflating makes shorter by less than a
// tenth, or than half. `tried` of the result begins with the one that it is of; where there is
// nothing to choose, it is empty. Of equal ones the one counts that stores less. `profile` names
// the entries as they lie now; `weights` as EntryOrderOptions.
Result<RepackForecast> best_storing(const Profile& profile, const Content& content,
                                    const std::map<std::string, double>& weights,
                                    const ForecastWith& forecast_with);

}  // namespace seekless
