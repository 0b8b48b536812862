// What a person writes about scenarios and assets on a command line, for the planner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/plan/plan_settings.h"

namespace seekless {

// Each adds to what is there. Errors name the option that takes such texts.

// SCENARIO=WEIGHT, for --weight.
Result<void> add_weights(const std::vector<std::string>& texts,
                         std::map<std::string, double>& weights);
// A,B,C: scenarios in the order they are played, for --session.
Result<void> add_sessions(const std::vector<std::string>& texts, PlanSettings& settings);
// GLOB=BYTES, for --align.
Result<void> add_alignments(const std::vector<std::string>& texts, PlanSettings& settings);

}  // namespace seekless
