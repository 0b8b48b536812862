// A build's outcome as JSON (schemas/build-result.schema.json), and the last one kept in the state
// folder.
#pragma once

#include <string>

#include "packer/build/build.h"
#include "packer/command/command.h"

namespace seekless {

Json to_json(const BuildFile& file, const BuildOutcome& outcome, bool checked_only, double seconds);

// The outcome of the build before, with what is true of a build that found nothing to do; nothing
// if it can't be read.
std::optional<Json> last_outcome(const BuildFile& file, double seconds);

// Predictions of the layout that `json` tells of without any, taken from the outcome before: they
// were made with the layout, and it is kept.
void keep_predictions(const Json& before, Json& json);

}  // namespace seekless
