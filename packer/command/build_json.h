// A build's outcome as JSON (schemas/build-result.schema.json), and the last one kept in the state
// folder.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "packer/build/build.h"
#include "packer/command/command.h"
#include "packer/report/report.h"

namespace seekless {

// What the recorded reads of a scenario cost on the content as it lies, by name.
using TodaysLoads = std::map<std::string, LoadCost>;

Json to_json(const BuildFile& file, const BuildOutcome& outcome, const TodaysLoads& today,
             bool checked_only, double seconds);

// The outcome of the build before, with what is true of a build that found nothing to do; nothing
// if it can't be read.
std::optional<Json> last_outcome(const BuildFile& file, double seconds);

// Predictions and today's loads that `json` tells of without any, taken from the outcome before:
// they were made with the layout or of the recordings, and those are kept.
void keep_predictions(const Json& before, Json& json);

}  // namespace seekless
