// Writes predictions as JSON, the same in layouts and in the planner's answer:
// schemas/layout.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "packer/layout/layout.h"

namespace seekless {

nlohmann::ordered_json to_json(const PredictedLoad& load);
nlohmann::ordered_json to_json(const Prediction& prediction);

}  // namespace seekless
