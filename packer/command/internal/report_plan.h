// Adds the layout that the packs were made from to a report.
#pragma once

#include <map>
#include <string>

#include "packer/answer/report.h"
#include "packer/base/error.h"

namespace seekless {

// The key is the scenario's name.
using PlannedLoads = std::map<std::string, PredictedLoad>;

// Adds what the planner expected to a report that has its packs already, and returns what it
// expected of single scenarios. Warns in the report of a layout without predictions. Errors: what
// reading a layout gives; one that other packs were made from.
Result<PlannedLoads> add_plan(const std::string& layout, Report& report);

}  // namespace seekless
