// Adds the layout that the packs were made from to a report.
#pragma once

#include <map>
#include <string>

#include "packer/answer/report.h"
#include "packer/base/error.h"

namespace seekless {

// Maps a scenario's name to its predicted load.
using PlannedLoads = std::map<std::string, PredictedLoad>;

// Adds the planner's predictions to a report that already has its packs, and returns the
// predictions of single scenarios. A layout without predictions causes a warning in the report.
// Returns an error if the layout can't be read, or if the packs were made from another one.
Result<PlannedLoads> add_plan(const std::string& layout, Report& report);

}  // namespace seekless
