// Writes predictions as JSON, the same in layouts and in answers, and reads them back:
// schemas/layout.schema.json.
#pragma once

#include <nlohmann/json.hpp>

#include "packer/layout/layout.h"

namespace seekless {

nlohmann::ordered_json to_json(const PredictedLoad& load);
nlohmann::ordered_json to_json(const Prediction& prediction);
// Both throw the library's exception if the JSON isn't that of a prediction.
PredictedLoad to_predicted_load(const nlohmann::ordered_json& json);
Prediction to_prediction(const nlohmann::ordered_json& json);

}  // namespace seekless
