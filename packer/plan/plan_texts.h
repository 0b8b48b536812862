// Parses the planner's arguments about scenarios and assets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/plan/plan_settings.h"

namespace seekless {

// Parses one value of `setting`: SCENARIO=WEIGHT; A,B,C (scenarios in the order they are played);
// GLOB=BYTES. The error names the option.
Result<void> take_text(const PlanSetting& setting, const std::string& text, PlanSettings& settings);

// Parses weights, for commands without other planner settings.
Result<std::map<std::string, double>> parse_weights(const std::vector<std::string>& texts);

}  // namespace seekless
