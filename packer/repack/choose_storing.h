// Decides which entries that recordings read are worth storing rather than deflating. It compares
// the seconds that loads take: the disk's time plus the engine's time for inflating.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/entries/storing.h"
#include "packer/profile/profile.h"
#include "packer/repack/forecast.h"

namespace seekless {

// The rate of content at which one core inflates with zlib. A slow core is assumed: Python's zlib
// did 366 to 384 MB/s on the deflated entries of OpenArena's pak0.pk3, in processor time of a
// server of 2026.
inline constexpr double kInflatedBytesPerSecond = 300e6;

using ForecastWith = std::function<Result<RepackForecast>(const Storing&)>;

// Returns the best of four forecasts: with all entries stored, with none stored, with only those
// that deflating shortens by less than a tenth, and with only those that it shortens by less than
// half. Among equals, the one that stores less wins. `tried` of the result begins with the chosen
// one; it is empty if there is nothing to choose. `profile` names the entries as they lie now.
// `weights` has the meaning of EntryOrderOptions::weights.
Result<RepackForecast> best_storing(const Profile& profile, const Content& content,
                                    const std::map<std::string, double>& weights,
                                    const ForecastWith& forecast_with);

}  // namespace seekless
