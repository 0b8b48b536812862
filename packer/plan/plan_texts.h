// Parses what people write on a command line about scenarios and assets, for the planner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/plan/plan_settings.h"

namespace seekless {

// Each function appends to the settings. Errors name the option that takes such texts.

// Parses SCENARIO=WEIGHT, for --weight.
Result<void> add_weights(const std::vector<std::string>& texts,
                         std::map<std::string, double>& weights);
// Parses A,B,C, scenarios in the order they are played, for --session.
Result<void> add_sessions(const std::vector<std::string>& texts, PlanSettings& settings);
// Parses GLOB=BYTES, for --align.
Result<void> add_alignments(const std::vector<std::string>& texts, PlanSettings& settings);

}  // namespace seekless
