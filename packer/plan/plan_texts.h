// Parses what people write on a command line about scenarios and assets, for the planner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/plan/plan_settings.h"

namespace seekless {

// Takes one value of `setting`, whose option the error names: SCENARIO=WEIGHT; A,B,C, scenarios in
// the order they are played; GLOB=BYTES.
Result<void> take_text(const PlanSetting& setting, const std::string& text, PlanSettings& settings);

// Takes weights for commands that have no other settings.
Result<std::map<std::string, double>> parse_weights(const std::vector<std::string>& texts);

}  // namespace seekless
