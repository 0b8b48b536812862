// Writes predictions as JSON, in the same form for layouts and answers, and reads them back:
// schemas/layout.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "packer/layout/layout.h"

namespace seekless {

nlohmann::ordered_json to_json(const PredictedLoad& load);
nlohmann::ordered_json to_json(const Prediction& prediction);
// Both throw the library's exception if the JSON isn't a prediction.
PredictedLoad to_predicted_load(const nlohmann::ordered_json& json);
Prediction to_prediction(const nlohmann::ordered_json& json);

}  // namespace seekless
